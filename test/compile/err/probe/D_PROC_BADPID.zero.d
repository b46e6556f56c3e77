pid0:::entry
{
	trace(arg0);
}
