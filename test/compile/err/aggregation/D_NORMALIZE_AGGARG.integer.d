/* SPDX-License-Identifier: MIT */
BEGIN
{
	normalize(10, 2);
}
