/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = alloca(8) + 1;
}
