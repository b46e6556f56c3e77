int a[int];
BEGIN
{
	x = a;
}
