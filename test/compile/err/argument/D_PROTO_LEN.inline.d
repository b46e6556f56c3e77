inline int f[int a, int b] = a;
BEGIN
{
	x = f[1];
}
