/* SPDX-License-Identifier: MIT */
int a[5], b[5];

BEGIN
{
	a = b;
}
