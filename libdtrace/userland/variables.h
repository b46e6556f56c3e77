/* SPDX-License-Identifier: MIT */
/*
 * variables.h - the global variables of a session without the kernel module, in memory that dtrace
 * and all traced processes share. (variables.c)
 *
 * Every process can write the whole memory at any time, so the engines trust nothing in it
 * (engine/shared.c). No lock of dtrace protects it.
 */
#ifndef DT_USERLAND_VARIABLES_H
#define DT_USERLAND_VARIABLES_H

#include "engine.h"
#include "remote.h"

struct dt_variables {
	dtrace_state_t *state;
	int fd;			     /* of the memory; -1: none */
	struct dtrace_shared shared; /* dtrace's mapping; size 0: no global variables */
	uint32_t processes;	     /* processes with a number */
};

/*
 * Make the memory, and share it with dtrace's engine, whose session has been prepared. Return 0 or
 * a negative errno.
 */
int dt_variables_open(struct dt_variables *variables);
/* Free the memory after the session of dtrace's engine has ended. */
void dt_variables_close(struct dt_variables *variables);
/*
 * Map the memory into a process, and set *number to a number that is unique in the session. Return
 * the address; 0 if there are no variables; or a negative errno.
 */
int64_t dt_variables_map(struct dt_variables *variables, struct dt_remote *remote,
			 uint32_t *number);
/* Unmap the memory from a process. */
void dt_variables_unmap(const struct dt_variables *variables, struct dt_remote *remote, int64_t at);
/* Release the locks of an owner (PORT_OWNER()) whose process has ended. */
void dt_variables_recover(const struct dt_variables *variables, uint32_t owner);

#endif
