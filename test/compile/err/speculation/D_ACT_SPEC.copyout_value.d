/* SPDX-License-Identifier: MIT */
BEGIN
{
	speculate(1);
	x = (copyoutstr("a", 0, 1), 1);
}
