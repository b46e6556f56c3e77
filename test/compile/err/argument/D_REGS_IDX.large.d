/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = uregs[1000];
}
