BEGIN
{
	x = -execname;
}
