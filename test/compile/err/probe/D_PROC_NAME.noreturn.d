/* args: -c PROBED -xevaltime=exec */
pid$target::do_forever:return
{
	trace(arg0);
}
