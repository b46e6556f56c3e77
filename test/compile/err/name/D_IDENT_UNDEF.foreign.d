BEGIN
{
	x = irql;
}
