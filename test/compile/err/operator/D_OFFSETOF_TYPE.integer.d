BEGIN
{
	y = offsetof(int, z);
}
