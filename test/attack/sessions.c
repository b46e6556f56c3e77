/* SPDX-License-Identifier: MIT */
/*
 * sessions.c - open as many tracing sessions as possible, print their number, and keep them until
 * there is a line on standard input.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <dtrace/ioctl.h>

#define ENOUGH 1000

int main(void)
{
	int n = 0;

	while (n < ENOUGH && open(DTRACE_DEVICE, O_RDWR) >= 0)
		n++;
	printf("%d sessions, then: %s\n", n, n < ENOUGH ? strerror(errno) : "enough");
	fflush(stdout);
	getchar();
	return 0;
}
