/* printa() of several aggregations: rows by key, what is missing is zero of its kind. */
BEGIN
{
	@a["x", 1] = sum(10);
	@a["y", 1] = sum(5);
	@b["y", 1] = avg(7);
	@b["z", 2] = avg(8);
	@q["x", 1] = quantize(3);
	@l["y", 1] = lquantize(3, 0, 9);
	printa(@a, @b);
	printa("%s %d: %@d %@d\n", @a, @b);
	printa("%-2s|%3d|%@5d|%@-5d|\n", @b, @a);
	printa("%s %@d%@d", @a, @q);
	printa("%s %@d%@d", @a, @l);
	setopt("aggsortpos", "1");
	printa("%s %@d %@d\n", @a, @b);
	setopt("aggsortrev");
	printa("%s %@d %@d\n", @a, @b);
	setopt("aggsortkey");
	printa("%s %@d %@d\n", @a, @b);
	setopt("aggsortrev", "no");
	setopt("aggsortkeypos", "1");
	printa("%s %d %@d %@d\n", @a, @b);
	setopt("aggsortkeypos", "2");
	printa("%s %d %@d %@d\n", @a, @b);
	exit(0);
}
