BEGIN
{
	x = execname ? 1 : 2;
}
