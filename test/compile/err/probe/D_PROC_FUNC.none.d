/* args: -c PROBED -xevaltime=exec */
pid$target::nothing_of_the_kind:entry
{
	trace(arg0);
}
