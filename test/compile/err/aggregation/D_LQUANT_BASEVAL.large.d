/* SPDX-License-Identifier: MIT */
BEGIN
{
	@ = lquantize(1, 0x100000000, 10);
}
