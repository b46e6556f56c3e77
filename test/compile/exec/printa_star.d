/* SPDX-License-Identifier: MIT */
/* A * of printa() takes the next key, before the key that it is for; a negative width is to the left. */
BEGIN
{
	@[10, 100] = sum(1);
	printa("[%*d]\n", @);
	@b[8, 3, "abcdef"] = sum(2);
	printa("[%*.*s]\n", @b);
	@c[-6] = sum(3);
	printa("[%*@d]\n", @c);
	exit(0);
}
