mib:::rawipInDatagrams
{
	trace(arg0);
}
