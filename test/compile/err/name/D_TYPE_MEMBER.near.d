/* SPDX-License-Identifier: MIT */
struct s { int size; struct { long offset; }; char *name; };
struct s v;

BEGIN
{
	trace(v.ofset);
}
