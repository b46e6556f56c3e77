/* args: -c PROBED -xevaltime=exec */
pid$target::do_work:entry
{
	trace(arg0);
}
