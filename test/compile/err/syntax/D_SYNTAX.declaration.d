/* SPDX-License-Identifier: MIT */
BEGIN
{
	int x = 1;
}
