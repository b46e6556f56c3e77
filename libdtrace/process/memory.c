/* SPDX-License-Identifier: MIT */
/* memory.c - the memory of other processes, by /proc. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "memory.h"

int dt_memory_open(pid_t pid, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	return open(path, flags | O_CLOEXEC);
}

bool dt_memory_read(pid_t pid, uint64_t addr, void *buf, size_t n)
{
	int fd = dt_memory_open(pid, O_RDONLY);
	bool ok = fd != -1 && pread(fd, buf, n, addr) == (ssize_t)n;

	if (fd != -1)
		close(fd);
	return ok;
}

bool dt_memory_write(pid_t pid, uint64_t addr, const void *buf, size_t n)
{
	int fd = dt_memory_open(pid, O_RDWR);
	bool ok = fd != -1 && pwrite(fd, buf, n, addr) == (ssize_t)n;

	if (fd != -1)
		close(fd);
	return ok;
}
