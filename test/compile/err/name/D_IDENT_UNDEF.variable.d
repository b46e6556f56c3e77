BEGIN
{
	x = y;
}
