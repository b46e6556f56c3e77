BEGIN
{
	@ = llquantize(1, 10, 0, 18, 10);
}
