/* SPDX-License-Identifier: MIT */
/* pid_follow_library.c - a library that pid_follow.c loads after a description names it. */
int followed(int x);
int followed(int x)
{
	return x + 1;
}
