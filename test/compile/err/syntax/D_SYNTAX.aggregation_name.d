/* SPDX-License-Identifier: MIT */
BEGIN
{
	@1st = count();
}
