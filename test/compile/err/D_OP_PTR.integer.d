BEGIN
{
	x = *pid;
}
