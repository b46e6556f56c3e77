/* args: -c PROBED -xevaltime=exec */
pid$target::do_refused:0
{
	trace(arg0);
}
