/* SPDX-License-Identifier: MIT */
/* memfile.c - memory files: anonymous files whose pages processes share. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/mman.h>
#include "memfile.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U /* Linux 6.3 */
#endif

/*
 * Create an empty memory file. The file cannot be executed, which does not concern its mappings:
 * kernel.memfd_noexec may demand so, and Linux before 6.3 does not know the flag.
 */
static int memfile_create(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd == -1 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd == -1 ? -errno : fd;
}

/* Add seals to the file. Return it; or close it and return a negative errno. */
static int memfile_seal(int fd, int seals)
{
	int error;

	if (fcntl(fd, F_ADD_SEALS, seals | F_SEAL_SHRINK | F_SEAL_GROW) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

/* Make a memory file of size bytes, with seals besides those against changes of its size. */
static int memfile_make(const char *name, size_t size, int seals)
{
	int fd = memfile_create(name), error;

	if (fd < 0)
		return fd;
	if (ftruncate(fd, (off_t)size) == 0)
		return memfile_seal(fd, seals);
	error = errno;
	close(fd);
	return -error;
}

int dt_memfile(const char *name, size_t size)
{
	return memfile_make(name, size, F_SEAL_SEAL);
}

int dt_memfile_leavable(const char *name, size_t size)
{
	return memfile_make(name, size, 0);
}

bool dt_memfile_leave(int fd)
{
	return fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) == 0;
}

int dt_memfile_code(const char *name, const void *code, size_t n)
{
	int fd = memfile_create(name), error;
	ssize_t done = 0, at = 0;

	if (fd < 0)
		return fd;
	for (; (size_t)at < n; at += done) {
		done = pwrite(fd, (const char *)code + at, n - (size_t)at, at);
		if (done <= 0) {
			error = done < 0 ? errno : ENOSPC;
			close(fd);
			return -error;
		}
	}
	return memfile_seal(fd, F_SEAL_WRITE | F_SEAL_SEAL);
}
