/* SPDX-License-Identifier: MIT */
BEGIN
{
	@a = count();
	printf("%d", @a);
}
