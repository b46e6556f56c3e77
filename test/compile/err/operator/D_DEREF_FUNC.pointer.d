/* SPDX-License-Identifier: MIT */
int (*f)(int);
BEGIN
{
	x = *f;
}
