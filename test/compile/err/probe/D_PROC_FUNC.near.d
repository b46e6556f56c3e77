/* args: -c PROBED -xevaltime=exec */
pid$target:a.out:do_wrok:entry
{
	trace(arg0);
}
