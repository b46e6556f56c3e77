/* SPDX-License-Identifier: MIT */
/* Variables that were never assigned are 0, empty or all zeros; those that were made NULL are not. */
struct point { int x; int y; };
int i;
string s;
struct point p;
self int none;
this string ls;
this struct point lp;

BEGIN
{
	printf("%d [%s] %d %d [%s] %d\n", i, s, p.x, s == "", this->ls, this->lp.y);
	s = "a";
	s = NULL;
	printf("%d %d\n", s == NULL, self->none == 0);
	exit(0);
}

