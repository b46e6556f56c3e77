BEGIN
{
	x = execname % 2;
}
