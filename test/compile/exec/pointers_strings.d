/* SPDX-License-Identifier: MIT */
/* Pointers into one string count characters, although each is to a copy of its own. */
BEGIN
{
	s = "abc";
	printf("%d %d %d\n", &s[2] - &s[0], &s[1] == &s[1], &s[1] < &s[2]);
	p = &s[1];
	printf("%c %s\n", *(&s[0] + 2), stringof(p));
	exit(0);
}
