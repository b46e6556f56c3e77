BEGIN
{
	x = args[pid];
}
