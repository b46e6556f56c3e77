/* args: -c PROBED -xevaltime=exec */
pid$target::do_work:20
{
	trace(arg0);
}
