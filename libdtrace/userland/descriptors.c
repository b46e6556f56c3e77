/* SPDX-License-Identifier: MIT */
/* descriptors.c - checks in advance that dtrace can open files. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "descriptors.h"

int dt_descriptors_check(unsigned int n)
{
	const int fd = open("/", O_PATH | O_CLOEXEC);
	int error = 0;

	if (fd == -1)
		return errno == EMFILE || errno == ENFILE ? -errno : 0;
	if (n > 1)
		error = dt_descriptors_check(n - 1);
	close(fd);
	return error;
}
