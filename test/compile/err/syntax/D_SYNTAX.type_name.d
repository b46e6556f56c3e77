/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = (int y)5;
}
