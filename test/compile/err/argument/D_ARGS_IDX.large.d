BEGIN
{
	x = args[40];
}
