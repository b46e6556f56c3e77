/* SPDX-License-Identifier: MIT */
BEGIN
{
	@ = quantize(1, 2, 3);
}
