/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = *(enum unknown *)arg0;
}
