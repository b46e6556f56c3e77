BEGIN
{
	@a[1] = count();
	clear(@a[1]);
}
