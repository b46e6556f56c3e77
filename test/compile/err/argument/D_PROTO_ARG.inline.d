/* SPDX-License-Identifier: MIT */
inline int twice[int n] = n * 2;

BEGIN
{
	x = twice("a");
}
