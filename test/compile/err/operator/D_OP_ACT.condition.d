/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = pid ? trace(1) : 2;
}
