BEGIN
{
	jstack(10, 100000000);
}
