/* SPDX-License-Identifier: MIT */
BEGIN
{
	@a = count();
	clear(@a, 1);
}
