/* SPDX-License-Identifier: MIT */
BEGIN
{
	@a[1] = count();
	@b[@a] = count();
}
