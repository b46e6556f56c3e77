/* args: -c PROBED -xevaltime=exec */
pid$target:a.out:-:1
{
	trace(arg0);
}
