/* Expressions that need more registers than there are: values wait in clause-local variables. */
BEGIN
{
	a = 1; b = 2; c = 3; d = 4; e = 5; f = 6; g = 7; h = 8; i = 9;
	printf("%d\n", a + (b + (c + (d + (e + (f + (g + (h + (i + (a + (b + (c + d))))))))))));
	printf("%d\n", (a - (b - (c - (d - (e - (f - (g - (h - (i - a))))))))) *
	       (b * (c + (d * (e + (f * (g + (h * (i + a)))))))));
	m[a, b, c, d, e, f, g, h] = i;
	m[a + b, b * c, c - d, d | e, e ^ f, f & g, g << h, h >> 1] = m[a, b, c, d, e, f, g, h] + 1;
	printf("%d\n", m[3, 6, -1, 5, 3, 6, 1792, 4]);
	printf("%s\n", strjoin(strjoin("a", strjoin("b", strjoin("c", "d"))), strjoin(strjoin("e", "f"), strjoin("g", "h"))));
	printf("%d\n", (a ? b + (c ? d + (e ? f + (g ? h + (i ? a + (b ? c + (d ? e : 0) : 0) : 0) : 0) : 0) : 0) : 0));
	printf("%d\n", a && (b || c) && (d || (e && f)) && !(g && !h));
	exit(0);
}
