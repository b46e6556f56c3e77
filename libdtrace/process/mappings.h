/* SPDX-License-Identifier: MIT */
/* mappings.h - executable mappings of a process. (mappings.c) */
#ifndef DT_MAPPINGS_H
#define DT_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dt_mapping {
	uint64_t start, end, offset;	/* of the file */
	uint64_t dev, ino;		/* of the vdso: the bytes of an address, and 0 */
	const char *path;		/* valid during the call; also that of a file which is no more */
};
#define DT_MAPPATH	4200		/* bytes that a path may need */

/*
 * dt_mappings - call func for each executable mapping that has a name; stops when it returns
 * non-zero, with that.
 */
int dt_mappings(pid_t pid, int (*func)(void *arg, const struct dt_mapping *map), void *arg);
/* dt_mapping_find - where the executable mapping that has the address begins and ends; false: none. */
bool dt_mapping_find(pid_t pid, uint64_t addr, uint64_t *start, uint64_t *end);
/* dt_path_undelete - take off what the kernel appends to the path of a file that is no more. */
void dt_path_undelete(char *path);
/*
 * dt_mapping_open - open the mapped file to be read, in another root directory or deleted as it may
 * be; -1: it is not to be had. That of the vdso is a copy. The caller closes it.
 */
int dt_mapping_open(pid_t pid, const struct dt_mapping *map);
#define DT_FDPATH 32
/* dt_fd_path - path, by which an open file can be opened once more. */
const char *dt_fd_path(int fd, char path[DT_FDPATH]);

#endif
