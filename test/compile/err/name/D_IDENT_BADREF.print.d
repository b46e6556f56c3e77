/* SPDX-License-Identifier: MIT */
BEGIN
{
	x[1] = 1;
	print(x);
}
