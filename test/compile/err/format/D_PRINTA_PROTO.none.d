BEGIN
{
	printa("x");
}
