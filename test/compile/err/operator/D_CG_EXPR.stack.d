BEGIN
{
	x = 1 + stack();
}
