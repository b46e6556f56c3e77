/* SPDX-License-Identifier: MIT */
BEGIN
{
	@a = count();
	printa("%@d", @a, 12);
}
