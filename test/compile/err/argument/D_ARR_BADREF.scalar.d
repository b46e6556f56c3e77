/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = 1;
	y = x[1, 2];
}
