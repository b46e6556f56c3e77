/* SPDX-License-Identifier: MIT */
BEGIN
{
	*(struct unknown *)arg0 = 1;
}
