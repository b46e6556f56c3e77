BEGIN
{
	x = 1LUL;
}
