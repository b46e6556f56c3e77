/* SPDX-License-Identifier: MIT */
/* memfile.h - memory files: anonymous files whose pages processes share. (memfile.c) */
#ifndef DT_USERLAND_MEMFILE_H
#define DT_USERLAND_MEMFILE_H

#include <stddef.h>

/*
 * Make a memory file of size bytes, all 0. Processes can map it writable, but nobody can change its
 * size.
 *	name	for /proc/PID/maps, where it is "/memfd:NAME (deleted)"
 * Return a descriptor, which the caller closes, or a negative errno.
 */
int dt_memfile(const char *name, size_t size);
/*
 * Make a memory file of n bytes of code, which nobody can change any more. Return as dt_memfile()
 * does.
 */
int dt_memfile_code(const char *name, const void *code, size_t n);

#endif
