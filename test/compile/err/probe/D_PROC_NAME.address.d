/* args: -c PROBED -xevaltime=exec */
pid$target:a.out:-:entry
{
	trace(arg0);
}
