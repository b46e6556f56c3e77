/* args: -c PROBED -xevaltime=exec */
pid$target:libz::entry
{
	trace(arg0);
}
