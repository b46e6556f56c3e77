pid4194303:::entry
{
	trace(arg0);
}
