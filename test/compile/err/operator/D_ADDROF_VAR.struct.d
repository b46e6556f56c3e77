/* SPDX-License-Identifier: MIT */
struct s { int x; };
struct s v;
BEGIN
{
	p = &v;
}
