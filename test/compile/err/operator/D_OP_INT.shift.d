/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = "a" << 2;
}
