BEGIN
{
	@ = llquantize(1, 10, 0, 3, 5);
}
