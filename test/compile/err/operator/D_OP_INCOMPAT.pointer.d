/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = 1;
	x = alloca(8);
}
