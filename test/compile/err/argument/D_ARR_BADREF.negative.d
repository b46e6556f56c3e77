/* SPDX-License-Identifier: MIT */
int a[4], m[2][3];
this int b[2];
BEGIN
{
	trace(a[-1]);
}
