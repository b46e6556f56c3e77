/* SPDX-License-Identifier: MIT */
int a[5];

BEGIN
{
	x = a["x"];
}
