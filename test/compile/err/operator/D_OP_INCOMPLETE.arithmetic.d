struct unknown *p;
BEGIN
{
	p++;
}
