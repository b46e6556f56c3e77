BEGIN
{
	@ = llquantize(1, 10, 3, 3, 10);
}
