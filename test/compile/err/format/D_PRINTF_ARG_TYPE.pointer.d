/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("%d", alloca(1));
}
