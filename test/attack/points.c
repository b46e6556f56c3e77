/* SPDX-License-Identifier: MIT */
/*
 * points.c - add stop points of execs, to several open files, until the user may have no more.
 * Print how many there are, and why there are no more.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <dtrace/fasttrap.h>
#include <dtrace/ioctl.h>

#define NFILES 4
#define ENOUGH 1000

int main(void)
{
	dtrace_stop_exec_t exec = {.dtfx_timeout = DTRACE_STOP_MS, .dtfx_name = "nobody"};
	int fds[NFILES], n = 0;

	for (int i = 0; i < NFILES; i++) {
		fds[i] = open(DTRACE_FASTTRAP_DEVICE, O_RDWR | O_CLOEXEC);
		if (fds[i] == -1)
			err(3, "%s", DTRACE_FASTTRAP_DEVICE);
	}
	while (n < ENOUGH && ioctl(fds[n % NFILES], DTRACEFTIOC_STOP_EXEC, &exec) >= 0)
		n++;
	printf("%d stop points, then: %s\n", n, n < ENOUGH ? strerror(errno) : "enough");
	return 0;
}
