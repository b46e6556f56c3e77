/* SPDX-License-Identifier: MIT */
/* The name of the thread is that of its program, unless the thread has another. */
BEGIN
{
	@[threadname] = count();
	printf("%d %d\n", threadname == execname, strlen(threadname) > 0);
	clear(@);
	trunc(@);
	exit(0);
}
