/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = true;
}
