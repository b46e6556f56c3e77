BEGIN
{
	x = 1 ? "a" : 5;
}
