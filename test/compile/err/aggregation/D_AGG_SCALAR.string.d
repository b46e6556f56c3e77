/* SPDX-License-Identifier: MIT */
BEGIN
{
	@ = sum("a");
}
