/* SPDX-License-Identifier: MIT */
inline int three = 3;
BEGIN
{
	x = three();
}
