/* SPDX-License-Identifier: MIT */
BEGIN
{
	@ = count(1);
}
