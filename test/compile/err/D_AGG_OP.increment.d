BEGIN
{
	@a++;
}
