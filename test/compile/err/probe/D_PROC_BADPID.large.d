pid99999999999:::entry
{
	trace(arg0);
}
