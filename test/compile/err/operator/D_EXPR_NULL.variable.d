BEGIN
{
	pid;
}
