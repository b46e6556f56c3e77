/* SPDX-License-Identifier: MIT */
BEGIN
{
	@a = count();
	printa(execname, @a);
}
