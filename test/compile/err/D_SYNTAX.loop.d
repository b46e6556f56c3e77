BEGIN
{
	while (1) { }
}
