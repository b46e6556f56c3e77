/* SPDX-License-Identifier: MIT */
BEGIN
{
	@ = lquantize(1, 0, 10, pid);
}
