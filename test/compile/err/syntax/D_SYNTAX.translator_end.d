/* SPDX-License-Identifier: MIT */
struct in { int x; };
typedef struct { int a; } out_t;
translator out_t < struct in *i > {
	a = i->x;
}

BEGIN
{
}
