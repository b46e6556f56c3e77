/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = copyinstr("a");
}
