BEGIN
{
	x = sizeof (struct unknown);
}
