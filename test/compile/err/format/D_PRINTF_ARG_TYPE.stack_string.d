/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("%s", stack());
}
