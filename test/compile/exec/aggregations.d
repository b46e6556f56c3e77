/* Aggregating functions, keys of all kinds, and what can be done to aggregations. */
BEGIN
{
	@c["x", 1] = count(); @c["x", 1] = count(); @c["y", -2] = count();
	@s = sum(5); @s = sum(-7); @lo = min(3); @lo = min(-4); @hi = max(3); @hi = max(9);
	@a = avg(10); @a = avg(20); @d = stddev(2); @d = stddev(4);
	@q = quantize(10); @q = quantize(100, 5);
	@l = lquantize(15, 0, 100, 10); @l = lquantize(500, 0, 100, 10); @l = lquantize(-3, 0, 100, 10, 2);
	@ll = llquantize(123, 10, 0, 3, 10);
	printa("%s %d %@d\n", @c);
	printa("%@d ", @s); printa("%@d ", @lo); printa("%@d ", @hi); printa("%@d ", @a); printa("%@d\n", @d);
	normalize(@c, 2); printa("%-3s%3d %@d\n", @c); denormalize(@c);
	printa(@q); printa(@l); printa(@ll);
	clear(@c); @o["x", 1] = sum(3);
	printa("%s %d %@d %@d\n", @c, @o);
	trunc(@c, 1); trunc(@q); trunc(@l); trunc(@ll); trunc(@s); trunc(@lo); trunc(@hi); trunc(@a); trunc(@d);
	exit(0);
}
