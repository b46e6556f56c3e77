/* A distribution without data is what its function makes of nothing: known from the program. */
BEGIN
/0/
{
	@q[1] = quantize(0);
	@l[1] = lquantize(0, 10, 100, 10);
	@m[1] = llquantize(0, 10, 0, 2, 10);
	@c[1] = count();
}

BEGIN
{
	@s[1] = sum(1);
	printa("%d %@d %@d %@d %@d %@d\n", @s, @q, @l, @m, @c);
	printa(@s, @q, @c);
	exit(0);
}
