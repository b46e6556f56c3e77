/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = (char *)arg0 + (char *)arg1;
}
