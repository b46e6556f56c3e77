/* SPDX-License-Identifier: MIT */
BEGIN
{
	x[bcopy(NULL, NULL, 0)] = 1;
}
