BEGIN
{
	5 = 6;
}
