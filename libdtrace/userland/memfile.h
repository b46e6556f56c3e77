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
 * Flags of memfd_create(). The file cannot be executed, which does not concern its mappings: kernel.memfd_noexec may
 * demand so. Linux before 6.3 does not know that flag, and says EINVAL.
 */
#define DT_MEMFILE_FLAGS     (DT_MEMFILE_FLAGS_OLD | MFD_NOEXEC_SEAL)
#define DT_MEMFILE_FLAGS_OLD (MFD_CLOEXEC | MFD_ALLOW_SEALING)

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
/*
 * Write n bytes of code to an empty memory file that has been made with DT_MEMFILE_FLAGS, and let nobody change it any
 * more. Return 0 or a negative errno.
 */
int dt_memfile_fill(int fd, const void *code, size_t n);

#endif
