BEGIN
{
	pid == 5;
}
