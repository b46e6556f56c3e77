/* args: -c PROBED -xevaltime=exec */
pid$target::do_harm:17
{
	trace(arg0);
}
