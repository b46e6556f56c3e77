/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = *(uint32t *)arg0;
}
