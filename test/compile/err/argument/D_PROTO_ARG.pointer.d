/* SPDX-License-Identifier: MIT */
char *p;
BEGIN
{
	x = copyinstr(p);
}
