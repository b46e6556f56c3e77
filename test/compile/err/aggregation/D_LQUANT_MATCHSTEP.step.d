/* SPDX-License-Identifier: MIT */
BEGIN
{
	@ = lquantize(1, 0, 100, 1);
	@ = lquantize(1, 0, 100, 10);
}
