BEGIN
{
	printa("%d", 5);
}
