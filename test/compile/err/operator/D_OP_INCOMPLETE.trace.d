/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace(*(struct unknown *)arg0);
}
