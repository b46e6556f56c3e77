/* args: -O */
/* SPDX-License-Identifier: MIT */
/* Aggregations: by printa() with and without a format, several at once, and those left at the end. */
BEGIN
{
	@count[execname, 1] = count();
	@count[execname, -2] = count();
	@count[execname, -2] = count();
	@sum[execname, 1] = sum(4);
	@min = min(3);
	@max = max(3);
	@avg = avg(3);
	@avg = avg(5);
	@stddev = stddev(1);
	@stddev = stddev(5);
	@quantize = quantize(4);
	@quantize = quantize(-9);
	@lquantize["x"] = lquantize(50, 0, 10, 5);
	@lquantize["x"] = lquantize(-1, 0, 10, 5);
	@llquantize = llquantize(20, 10, 0, 2, 10);
	@normal = sum(1000);
	@left["never shown"] = count();
	normalize(@normal, 10);
	printa(@count);
	printa("%s %d: %@d %@d\n", @count, @sum);
	printa(@min, @max);
	printa(@avg);
	printa(@stddev);
	printa(@quantize);
	printa(@lquantize);
	printa(@llquantize);
	printa(@normal);
	exit(0);
}
