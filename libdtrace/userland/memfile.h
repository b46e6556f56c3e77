/* SPDX-License-Identifier: MIT */
/* memfile.h - memory files: anonymous files whose pages processes share. (memfile.c) */
#ifndef DT_USERLAND_MEMFILE_H
#define DT_USERLAND_MEMFILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Make a memory file of size bytes, all 0. Processes can map it writable, but nobody can change its
 * size.
 *	name	for /proc/PID/maps, where it is "/memfd:NAME (deleted)"
 * Return a descriptor, which the caller closes, or a negative errno.
 */
int dt_memfile(const char *name, size_t size);
/* Make one as dt_memfile() does, for dt_memfile_leave(). */
int dt_memfile_leavable(const char *name, size_t size);
/*
 * Let nobody write to a memory file any more. Return false if a process has it mapped shared and writable, this
 * one or another one: then nothing is changed.
 */
bool dt_memfile_leave(int fd);
/*
 * Make a memory file of n bytes of code, which nobody can change any more. Return as dt_memfile()
 * does.
 */
int dt_memfile_code(const char *name, const void *code, size_t n);

#endif
