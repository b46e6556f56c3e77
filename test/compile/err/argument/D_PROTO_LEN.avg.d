/* SPDX-License-Identifier: MIT */
BEGIN
{
	@ = avg();
}
