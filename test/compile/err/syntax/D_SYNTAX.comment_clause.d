BEGIN
{
	x = 1; /* never ends
}
