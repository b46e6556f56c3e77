/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = pid->y;
}
