BEGIN
{
	x = sizeof (execname);
}
