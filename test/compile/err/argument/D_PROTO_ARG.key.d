BEGIN
{
	a["x"] = 1;
	a[5] = 2;
}
