/* SPDX-License-Identifier: MIT */
BEGIN
{
	p = alloca(8);
	x = p == pid;
}
