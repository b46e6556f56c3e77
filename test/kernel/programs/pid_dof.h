/* SPDX-License-Identifier: MIT */
/* pid_dof.h - make DOF of pid probes by hand, and find their offsets in a file. */
#ifndef PID_DOF_H
#define PID_DOF_H

#include <stddef.h>
#include <stdint.h>

struct pid_site {
	const char *function, *name;
	uint64_t address;
	int64_t offset; /* of a return: in its function; else -1 */
};

/*
 * pid_dof - return the DOF of n sites, whose addresses are relative to where: *size bytes, which
 * the caller frees.
 */
void *pid_dof(const struct pid_site *sites, size_t n, uint64_t where, size_t *size);

/* pid_offset - return the offset in the file at image that is loaded to an address; 0: none is. */
uint64_t pid_offset(const void *image, uint64_t address);

#endif
