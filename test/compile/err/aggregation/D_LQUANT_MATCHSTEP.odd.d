/* SPDX-License-Identifier: MIT */
BEGIN
{
	@ = lquantize(1, 1, 100, 1);
	@ = lquantize(1, 1, 100, 2);
}
