/* SPDX-License-Identifier: MIT */
BEGIN
{
	@ = llquantize(1, 100000, 0, 3, 10);
}
