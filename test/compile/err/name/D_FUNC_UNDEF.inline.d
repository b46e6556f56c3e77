/* SPDX-License-Identifier: MIT */
inline int twice[int n] = 2 * n;

BEGIN
{
	x = twise(1);
}
