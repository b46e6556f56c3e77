BEGIN
{
	x = pid ? "a" : 5;
}
