/* SPDX-License-Identifier: MIT */
BEGIN
{
	@ = llquantize(1, 10, 0, 3, 10);
	@ = llquantize(1, 5, 0, 3, 25);
}
