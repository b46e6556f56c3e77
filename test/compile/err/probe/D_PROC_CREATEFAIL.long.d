/* args: -c PROBED -xevaltime=exec */
pid$target::do_refused:9
{
	trace(arg0);
}
