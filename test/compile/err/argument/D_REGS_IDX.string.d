/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = uregs["a"];
}
