/* stddev() and avg() in integers, and what normalize() makes of them. */
BEGIN
{
	@d[1] = stddev(1); @d[1] = stddev(2);
	@d[2] = stddev(-10); @d[2] = stddev(10);
	@d[3] = stddev(1000000000000); @d[3] = stddev(3000000000000);
	@d[4] = stddev(7);
	@a[1] = avg(-3); @a[1] = avg(-4);
	@a[2] = avg(100); @a[2] = avg(151);
	printa(@d);
	printa(@a);
	normalize(@d, 10);
	normalize(@a, 10);
	printa(@d);
	printa("%d %@d\n", @a);
	denormalize(@a);
	printa("%d %@d\n", @a);
	clear(@d);
	printa("%d %@d\n", @d);
	exit(0);
}
