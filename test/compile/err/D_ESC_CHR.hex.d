BEGIN
{
	x = "a\xzz";
}
