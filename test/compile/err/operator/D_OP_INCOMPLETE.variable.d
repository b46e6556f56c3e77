/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = *(struct unknown *)arg0;
}
