/* SPDX-License-Identifier: MIT */
/* mappings.h - what a process has mapped. (mappings.c) */
#ifndef DT_MAPPINGS_H
#define DT_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dt_mapping {
	uint64_t start, end, offset; /* of the file */
	uint64_t dev, ino;	     /* of the vdso: the bytes of an address, and 0 */
	const char *path; /* valid during the call; also that of a deleted file; "": none */
	bool writable, executable, shared;
};
/* Return whether the caller of a function that goes through mappings wants this one. */
typedef bool dt_mapping_filter_f(void *arg, const struct dt_mapping *map);
#define DT_MAPPATH 4200 /* bytes of the longest path, with its NUL */

/*
 * Call func for each mapping of a process in the order of addresses, until func returns other than
 * 0. Return what func returned last; 0 if there are no mappings, or they cannot be read. errno says
 * afterwards why they cannot, and is 0 otherwise.
 */
int dt_mappings_all(pid_t pid, int (*func)(void *arg, const struct dt_mapping *map), void *arg);
/* Call func, as dt_mappings_all() does, for mappings with code and a name: files, and the vdso. */
int dt_mappings(pid_t pid, int (*func)(void *arg, const struct dt_mapping *map), void *arg);
/*
 * Set *start and *end to those of the executable mapping with an address. Return false if there is
 * none.
 */
bool dt_mapping_find(pid_t pid, uint64_t addr, uint64_t *start, uint64_t *end);
/* Return whether a process still has the file of a mapping mapped as code at the same addresses. */
bool dt_mapping_is_there(pid_t pid, const struct dt_mapping *map);
/* Remove from a path what the kernel appends to that of a deleted file. */
void dt_path_undelete(char *path);
/*
 * Open the file of a mapping for reading, even if it is deleted or in another root directory. The
 * vdso's file is a copy. Return a descriptor, which the caller closes, or -1 if the file cannot be
 * opened.
 */
int dt_mapping_open(pid_t pid, const struct dt_mapping *map);
#define DT_FDPATH 32
/* Write to path a path by which an open file can be opened again. Return path. */
const char *dt_fd_path(int fd, char path[DT_FDPATH]);

#endif
