/* args: -c PROBED -xevaltime=exec */
pid$target::do_work:leave
{
	trace(arg0);
}
