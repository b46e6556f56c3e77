/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = (const static int)5;
}
