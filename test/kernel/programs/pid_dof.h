/* SPDX-License-Identifier: MIT */
/* pid_dof.h - DOF of pid probes, made by hand, and where in a file they are. */
#ifndef PID_DOF_H
#define PID_DOF_H

#include <stddef.h>
#include <stdint.h>

struct pid_site {
	const char *function, *name;
	uint64_t address;
	int64_t offset; /* of a return in its function; of others -1 */
};

/*
 * pid_dof - the DOF of n sites, which are relative to where. Returns malloc'ed memory of *size
 * bytes.
 */
void *pid_dof(const struct pid_site *sites, size_t n, uint64_t where, size_t *size);

/* pid_offset - where in a file that begins at image what it loads to that address is; 0: nowhere. */
uint64_t pid_offset(const void *image, uint64_t address);

#endif
