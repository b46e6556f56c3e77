/* SPDX-License-Identifier: MIT */
/* memory_file.h - files in memory. (memory_file.c) */
#ifndef PROBES_MEMORY_FILE_H
#define PROBES_MEMORY_FILE_H

#include <stddef.h>

/*
 * Make a file of size bytes, all 0, of which mappings may be executable. /proc/PID/maps has it as
 * "/memfd:NAME (deleted)". Return a descriptor, or -1 and errno of memfd_create; EFBIG: the size is
 * above RLIMIT_FSIZE.
 */
int memory_file(const char *name, size_t size);

#endif
