/* SPDX-License-Identifier: MIT */
/* memory_file.c - files in memory. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "memory_file.h"

/* Flags for kernels since 6.3; older ones know neither flag, and need none. */
#define MEMFD_EXEC	  0x10u
#define MEMFD_NOEXEC_SEAL 0x08u

int memory_file(const char *name, size_t size)
{
	/* Executing it as a program need not be prevented. */
	static const unsigned int flags[] = {MEMFD_EXEC, MEMFD_NOEXEC_SEAL, 0};
	struct rlimit limit;
	int fd = -1, error;

	/* The kernel would send SIGXFSZ. */
	if (!getrlimit(RLIMIT_FSIZE, &limit) && size > limit.rlim_cur) {
		errno = EFBIG;
		return -1;
	}
	for (unsigned int i = 0; i < sizeof flags / sizeof flags[0] && fd < 0; i++)
		fd = memfd_create(name, MFD_CLOEXEC | flags[i]);
	if (fd < 0 || !ftruncate(fd, (off_t)size))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}
