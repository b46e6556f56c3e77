/* args: -c PROBED -xevaltime=exec */
pid$target::do_work:0x2
{
	trace(arg0);
}
