/* SPDX-License-Identifier: MIT */
/* memfile.c - memory files: anonymous files whose pages processes share. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "memfile.h"

/* Create an empty memory file. */
static int memfile_create(const char *name)
{
	int fd = memfd_create(name, DT_MEMFILE_FLAGS);

	if (fd == -1 && errno == EINVAL)
		fd = memfd_create(name, DT_MEMFILE_FLAGS_OLD);
	return fd == -1 ? -errno : fd;
}

/* Add seals to the file. Return 0 or a negative errno. */
static int memfile_seal(int fd, int seals)
{
	return fcntl(fd, F_ADD_SEALS, seals | F_SEAL_SHRINK | F_SEAL_GROW) == -1 ? -errno : 0;
}

/* Return the descriptor; on error close it and return the error. */
static int memfile_made(int fd, int error)
{
	if (error)
		close(fd);
	return error ? error : fd;
}

/* Return 0 if a file may have that size, or -EFBIG: then the kernel would send SIGXFSZ. */
static int memfile_check(size_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur ? -EFBIG : 0;
}

/* Make a memory file of size bytes with fixed size and further seals. */
static int memfile_make(const char *name, size_t size, int seals)
{
	int error = memfile_check(size), fd = error ? error : memfile_create(name);

	if (fd < 0)
		return fd;
	return memfile_made(fd,
			    ftruncate(fd, (off_t)size) == -1 ? -errno : memfile_seal(fd, seals));
}

int dt_memfile(const char *name, size_t size)
{
	return memfile_make(name, size, F_SEAL_SEAL);
}

int dt_memfile_sealable(const char *name, size_t size)
{
	return memfile_make(name, size, 0);
}

bool dt_memfile_leave(int fd)
{
	return fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) == 0;
}

int dt_memfile_keep(int fd)
{
	return memfile_seal(fd, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL);
}

int dt_memfile_fill(int fd, const void *code, size_t n)
{
	int error = memfile_check(n);
	ssize_t done = 0;

	if (error)
		return error;
	for (size_t at = 0; at < n; at += (size_t)done) {
		done = pwrite(fd, (const char *)code + at, n - at, (off_t)at);
		if (done <= 0)
			return done < 0 ? -errno : -ENOSPC;
	}
	return memfile_seal(fd, F_SEAL_WRITE | F_SEAL_SEAL);
}

int dt_memfile_code(const char *name, const void *code, size_t n)
{
	int fd = memfile_create(name);

	return fd < 0 ? fd : memfile_made(fd, dt_memfile_fill(fd, code, n));
}
