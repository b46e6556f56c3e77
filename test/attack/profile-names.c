// SPDX-License-Identifier: MIT
/*
 * profile-names.c - ask for many probes of the profile provider by name, which makes them.
 *
 *	attack-profile-names N		tick-1ms, tick-2ms, ... once each
 *
 * It prints how many of the probes the kernel has found or made.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <dtrace/ioctl.h>

int main(int argc, char **argv)
{
	int fd = open(DTRACE_DEVICE, O_RDWR | O_CLOEXEC);
	dtrace_probedesc_t desc;
	int there = 0;

	if (argc < 2 || fd == -1) {
		perror(DTRACE_DEVICE);
		return 1;
	}
	for (int i = 1; i <= atoi(argv[1]); i++) {
		dtrace_probes_io_t io = {.pattern = {.dtpd_id = 1, .dtpd_provider = "profile"},
					 .match = 1,
					 .capacity = 1,
					 .descs = (uintptr_t)&desc};

		snprintf(io.pattern.dtpd_name, sizeof(io.pattern.dtpd_name), "tick-%dms", i);
		if (!ioctl(fd, DTRACEIOC_PROBES, &io))
			there++;
	}
	printf("%d of %s\n", there, argv[1]);
	return 0;
}
