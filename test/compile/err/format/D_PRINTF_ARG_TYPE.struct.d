/* SPDX-License-Identifier: MIT */
struct s { int x; };
struct s v;

BEGIN
{
	printf("%d", v);
}
