/* SPDX-License-Identifier: MIT */
struct in { int x; };
typedef struct { int size, offset; } out_t;
translator out_t < struct in *i > { size = i->x; };

BEGIN
{
	x = xlate <out_t> ((struct in *)arg0).sise;
}
