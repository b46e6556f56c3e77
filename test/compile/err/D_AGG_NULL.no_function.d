BEGIN
{
	@a;
}
