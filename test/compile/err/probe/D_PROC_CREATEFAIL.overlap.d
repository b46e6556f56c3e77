/* args: -c PROBED -xevaltime=exec */
pid$target::do_overlap:0
{
	trace(arg0);
}
