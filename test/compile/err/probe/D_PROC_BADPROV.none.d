pid:::entry
{
	trace(arg0);
}
