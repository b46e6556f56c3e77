/* args: -c PROBED -xevaltime=exec */
pid$target::do_refused:14
{
	trace(arg0);
}
