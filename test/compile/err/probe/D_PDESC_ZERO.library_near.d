/* args: -c PROBED -xevaltime=exec */
pid$target:a.ou:do_work:entry
{
	trace(arg0);
}
