BEGIN
{
	@ = count();
	printa("%*@d", @);
}
