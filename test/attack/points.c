/* SPDX-License-Identifier: MIT */
/*
 * points.c - add stop points, to several open files, until the user may have no more. Print how
 * many there are, and why there are no more.
 *
 *	attack-points execs		at execs of a name
 *	attack-points addresses		at the instructions of a function
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <dtrace/fasttrap.h>
#include <dtrace/ioctl.h>

#define NFILES 8

extern char points_code[];
__asm__(".text\n.globl points_code\npoints_code:\n.skip 1900, 0x90\nret\n");

int main(int argc, char **argv)
{
	dtrace_stop_exec_t exec = {.dtfx_timeout = DTRACE_STOP_MS, .dtfx_name = "nobody"};
	dtrace_stop_address_t address = {.dtfa_timeout = DTRACE_STOP_MS, .dtfa_pid = getpid()};
	bool execs = argc == 2 && !strcmp(argv[1], "execs");
	const int enough = execs ? 1000 : 1900;
	int fds[NFILES], n = 0;

	for (int i = 0; i < NFILES; i++) {
		fds[i] = open(DTRACE_FASTTRAP_DEVICE, O_RDWR | O_CLOEXEC);
		if (fds[i] == -1)
			err(3, "%s", DTRACE_FASTTRAP_DEVICE);
	}
	for (; n < enough; n++) {
		address.dtfa_address = (uintptr_t)points_code + n;
		if ((execs ? ioctl(fds[n % NFILES], DTRACEFTIOC_STOP_EXEC, &exec)
			   : ioctl(fds[n % NFILES], DTRACEFTIOC_STOP_ADDRESS, &address)) < 0)
			break;
	}
	printf("%d stop points, then: %s\n", n, n < enough ? strerror(errno) : "enough");
	return 0;
}
