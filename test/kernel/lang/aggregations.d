/* SPDX-License-Identifier: MIT */
/* The aggregating functions. */
#pragma D option quiet
BEGIN { i = 0; }
tick-5ms /i < 10/
{
	@count = count();
	@sum = sum(i);
	@min = min(i - 3);
	@max = max(i);
	@avg = avg(i);
	@dev = stddev(i);
	@key[i % 3, i % 2 ? "odd" : "even"] = sum(i);
	i++;
}
tick-5ms /i == 10/ { exit(0); }
END
{
	printa("count %@d\n", @count);
	printa("sum %@d\n", @sum);
	printa("min %@d\n", @min);
	printa("max %@d\n", @max);
	printa("avg %@d\n", @avg);
	printa("stddev %@d\n", @dev);
	printa("%d %s %@d\n", @key);
}
