BEGIN
{
	x = !execname;
}
