/* SPDX-License-Identifier: MIT */
int *p;
BEGIN
{
	x = p->y;
}
