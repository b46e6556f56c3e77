/* args: -c PROBED -xevaltime=exec */
pid$target::do_refused:4
{
	trace(arg0);
}
