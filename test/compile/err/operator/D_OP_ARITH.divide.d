/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = 2 / alloca(1);
}
