/* SPDX-License-Identifier: MIT */
/* auxv.c - the auxiliary vector of a process: what the kernel told its program at the start. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "memory.h"

/* A word of 4 or 8 bytes. */
static uint64_t auxv_load(const char *at, size_t word)
{
	uint64_t value = 0;

	memcpy(&value, at, word);
	return value;
}

/*
 * The first entry has a small type and a value that is not 0: read as one number of 64 bits, the two
 * of a 32-bit program are a large type.
 */
static size_t auxv_word(const char *auxv)
{
	return auxv_load(auxv, 8) > UINT32_MAX ? 4 : 8;
}

bool dt_auxv(pid_t pid, uint64_t type, uint64_t *value)
{
	char path[64], auxv[4096] = { 0 };
	size_t word;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
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
