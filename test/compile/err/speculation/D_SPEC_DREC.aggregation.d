/* SPDX-License-Identifier: MIT */
BEGIN
{
	@a = count();
	speculate(1);
}
