/* SPDX-License-Identifier: MIT */
/* memory.h - the memory of other processes. (memory.c) */
#ifndef DT_MEMORY_H
#define DT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* dt_memory_open - for pread and pwrite by address; flags: O_RDONLY or O_RDWR. -1 with errno. */
int dt_memory_open(pid_t pid, int flags);
/* dt_memory_read, dt_memory_write - n bytes at addr; false: not all of them. */
bool dt_memory_read(pid_t pid, uint64_t addr, void *buf, size_t n);
bool dt_memory_write(pid_t pid, uint64_t addr, const void *buf, size_t n);
/*
 * dt_auxv - the value of an entry (AT_*) of a process's auxiliary vector; false: it has none, or has
 * ended. (auxv.c)
 */
bool dt_auxv(pid_t pid, uint64_t type, uint64_t *value);

#endif
