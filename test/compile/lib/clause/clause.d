/* SPDX-License-Identifier: MIT */
inline int five = 5;

BEGIN
{
	trace(five);
}
