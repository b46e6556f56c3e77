BEGIN
{
	@["x"] = count();
	@[5] = count();
}
