/* args: -c PROBED -xevaltime=exec */
pid$target:probed:do_harm_first:entry
{
	trace(arg0);
}
