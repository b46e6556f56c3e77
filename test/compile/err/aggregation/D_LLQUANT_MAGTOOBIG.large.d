BEGIN
{
	@ = llquantize(1, 10, 0, 64, 10);
}
