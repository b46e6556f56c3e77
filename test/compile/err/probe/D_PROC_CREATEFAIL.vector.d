/* args: -c PROBED -xevaltime=exec */
pid$target::do_harm:e
{
	trace(arg0);
}
