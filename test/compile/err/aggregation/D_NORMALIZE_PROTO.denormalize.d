/* SPDX-License-Identifier: MIT */
BEGIN
{
	@a = count();
	denormalize(@a, 2);
}
