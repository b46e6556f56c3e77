/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = sizeof (int [string]);
}
