/* args: -c PROBED -xevaltime=exec */
pid$target::do_data:return
{
	trace(arg0);
}
