/* args: -c PROBED -xevaltime=exec */
pid$target::do_harm:5
{
	trace(arg0);
}
