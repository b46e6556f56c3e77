/* SPDX-License-Identifier: MIT */
/* memfile.h - memory files: anonymous files whose pages processes share. (memfile.c) */
#ifndef DT_USERLAND_MEMFILE_H
#define DT_USERLAND_MEMFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U /* Linux 6.3 */
#endif

/*
 * Flags of memfd_create(). kernel.memfd_noexec may require that files are not executable; mappings
 * of the file may still be. Linux before 6.3 rejects that flag with EINVAL.
 */
#define DT_MEMFILE_FLAGS     (DT_MEMFILE_FLAGS_OLD | MFD_NOEXEC_SEAL)
#define DT_MEMFILE_FLAGS_OLD (MFD_CLOEXEC | MFD_ALLOW_SEALING)

/*
 * Make a memory file of size bytes, all 0. Processes can map it writable, but none can change its
 * size.
 *	name	for /proc/PID/maps, where it is "/memfd:NAME (deleted)"
 * Return a descriptor, which the caller closes, or a negative errno.
 */
int dt_memfile(const char *name, size_t size);
/* Make a memory file as dt_memfile() does, which can be sealed further. */
int dt_memfile_sealable(const char *name, size_t size);
/*
 * Forbid all writing to a memory file. Return false, and change nothing, if any process has a
 * shared writable mapping of it.
 */
bool dt_memfile_leave(int fd);
/*
 * Forbid writing to a memory file but by the mappings that it has. Return 0 or a negative errno.
 */
int dt_memfile_keep(int fd);
/* Make a sealed memory file of n bytes of code. Return as dt_memfile() does. */
int dt_memfile_code(const char *name, const void *code, size_t n);
/*
 * Write n bytes of code to an empty memory file made with DT_MEMFILE_FLAGS, and seal it. Return 0
 * or a negative errno.
 */
int dt_memfile_fill(int fd, const void *code, size_t n);

#endif
