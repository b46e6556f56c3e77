/* SPDX-License-Identifier: MIT */
BEGIN
{
	@ = lquantize(1, "a", 2);
}
