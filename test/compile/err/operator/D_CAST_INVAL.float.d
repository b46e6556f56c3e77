BEGIN
{
	x = (double)5;
}
