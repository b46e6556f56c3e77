/* SPDX-License-Identifier: MIT */
BEGIN
{
	@a[pid] += 1;
}
