BEGIN
{
	@[1] = count();
	@[1, 2] = count();
}
