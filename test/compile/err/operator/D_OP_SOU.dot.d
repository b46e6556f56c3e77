/* SPDX-License-Identifier: MIT */
struct s { int x; };
struct s *p;

BEGIN
{
	trace(p.x);
}
