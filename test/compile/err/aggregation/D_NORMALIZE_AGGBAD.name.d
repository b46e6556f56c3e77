/* SPDX-License-Identifier: MIT */
BEGIN
{
	normalize(@a, 2);
}
