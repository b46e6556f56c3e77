/* SPDX-License-Identifier: MIT */
/* memory.h - the memory and the auxiliary vector of other processes. (memory.c) */
#ifndef DT_MEMORY_H
#define DT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Open the memory of a process for pread() and pwrite() by address. flags: O_RDONLY or O_RDWR.
 * Return a descriptor, which the caller closes, or -1 with errno.
 */
int dt_memory_open(pid_t pid, int flags);
/* Read n bytes at addr. Return false, with errno if nothing could be read, unless all were read. */
bool dt_memory_read(pid_t pid, uint64_t addr, void *buf, size_t n);
/* Write n bytes to addr. Return false unless all were written. */
bool dt_memory_write(pid_t pid, uint64_t addr, const void *buf, size_t n);
/*
 * Set *value to that of an entry (AT_*) of a process's auxiliary vector. Return false if there is
 * none, or the process has ended.
 */
bool dt_auxv(pid_t pid, uint64_t type, uint64_t *value);

#endif
