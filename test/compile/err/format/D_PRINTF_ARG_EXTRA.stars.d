/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("%*d", 1, 2, 3);
}
