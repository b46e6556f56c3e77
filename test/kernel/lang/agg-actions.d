/* SPDX-License-Identifier: MIT */
/* clear, trunc, normalize, denormalize; several aggregations in one printa. */
#pragma D option quiet
BEGIN
{
	@a["x"] = sum(100);
	@a["y"] = sum(200);
	@a["z"] = sum(300);
	@b["x"] = count();
	@b["z"] = count();
	@n["n"] = sum(1000);
	@c["gone"] = count();
	@t["t"] = count();
	exit(0);
}
END
{
	printa("%s %@d %@d\n", @a, @b);
	normalize(@n, 10);
	printa("%s %@d\n", @n);
	denormalize(@n);
	printa("%s %@d\n", @n);
	clear(@c);
	printa("%s %@d\n", @c);
	trunc(@a, 1);
	printa("%s %@d\n", @a);
	trunc(@t);
	printa("%s %@d\n", @t);
}
