/* SPDX-License-Identifier: MIT */
struct s { int x; };
struct s v;
BEGIN
{
	@ = quantize(v);
}
