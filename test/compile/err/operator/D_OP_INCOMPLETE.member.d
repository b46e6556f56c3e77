struct unknown *p;
BEGIN
{
	x = p->y;
}
