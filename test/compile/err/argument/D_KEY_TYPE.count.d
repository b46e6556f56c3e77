/* SPDX-License-Identifier: MIT */
BEGIN
{
	@a[count()] = count();
}
