/* SPDX-License-Identifier: MIT */
int a[4], m[2][3];
this int b[2];
BEGIN
{
	this->b[2] = 0;
}
