BEGIN
{
	x = 1;
	p = &x;
}
