/* SPDX-License-Identifier: MIT */
/* Strings within structs: 256 bytes each, assigned and read like others. */
struct s { int a; string b; int c; };
struct s v, w;
struct s m[int];

BEGIN
{
	v.a = 1;
	v.b = "hello";
	v.c = 3;
	w = v;
	v.b = strjoin(w.b, " world");
	m[1].b = v.b;
	printf("%d %s %d %s [%s] %d\n", v.a, v.b, v.c, m[1].b, w.b, sizeof (v));
	exit(0);
}
