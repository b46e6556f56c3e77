BEGIN
{
	x = nofunc(1);
}
