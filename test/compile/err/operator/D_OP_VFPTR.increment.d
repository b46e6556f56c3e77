/* SPDX-License-Identifier: MIT */
BEGIN
{
	p = alloca(8);
	p++;
}
