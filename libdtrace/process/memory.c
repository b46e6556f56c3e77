/* SPDX-License-Identifier: MIT */
/* memory.c - the memory and the auxiliary vector of other processes, by /proc. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "memory.h"
#include "procfs.h"

int dt_memory_open(pid_t pid, int flags)
{
	return dt_proc_open(pid, flags, "mem");
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

/* Return a word of 4 or 8 bytes. */
static uint64_t auxv_load(const char *at, size_t word)
{
	uint64_t value = 0;

	memcpy(&value, at, word);
	return value;
}

/*
 * Return the size of a word in an auxiliary vector. The first entry has a small type and a value
 * other than 0, so the first 8 bytes of a 32-bit program, read as one number, are a large type.
 */
static size_t auxv_word(const char *auxv)
{
	return auxv_load(auxv, 8) > UINT32_MAX ? 4 : 8;
}

bool dt_auxv(pid_t pid, uint64_t type, uint64_t *value)
{
	int fd = dt_proc_open(pid, O_RDONLY, "auxv");
	char auxv[4096] = {0};
	size_t word;
	ssize_t n;

	if (fd == -1)
		return false;
	n = read(fd, auxv, sizeof(auxv));
	close(fd);
	word = auxv_word(auxv);
	for (ssize_t i = 0; i + 2 * (ssize_t)word <= n; i += 2 * word)
		if (auxv_load(auxv + i, word) == type) {
			*value = auxv_load(auxv + i + word, word);
			return true;
		}
	return false;
}
