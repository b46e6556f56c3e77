/* SPDX-License-Identifier: MIT */
BEGIN
{
	a[1] = "abc";
	*(&a[1][2]) = 'x';
}
