/* SPDX-License-Identifier: MIT */
/*
 * variables.h - the global variables of a session without the kernel module, in memory that dtrace and all
 * traced processes share. (variables.c)
 *
 * Each of the processes can write all of it at any time, so the engines believe nothing that is in it
 * (engine/share.c). No lock of dtrace protects it.
 */
#ifndef DT_USERLAND_VARIABLES_H
#define DT_USERLAND_VARIABLES_H

#include "engine.h"
#include "remote.h"

struct dt_variables {
	dtrace_state_t *state;
	int fd; /* of the memory; -1: none */
	struct dtrace_shared
		shared;	    /* as it is here; size 0: the programs have no global variables */
	uint32_t processes; /* processes that have got a number */
};

/* Make the memory and share it with the engine of dtrace, whose session has been prepared. Return 0 or a negative errno. */
int dt_variables_open(struct dt_variables *variables);
/* Free it: the session of the engine of dtrace has ended. */
void dt_variables_close(struct dt_variables *variables);
/*
 * Map the memory into a process. *number becomes the number of the process, which no other has in the
 * session. Return the address; 0: there are no variables. Or return a negative errno.
 */
int64_t dt_variables_map(struct dt_variables *variables, struct dt_remote *remote,
			 uint32_t *number);
/* Undo it. */
void dt_variables_unmap(const struct dt_variables *variables, struct dt_remote *remote, int64_t at);
/* Take back what an owner of locks held, whose process has ended: PORT_OWNER(). */
void dt_variables_recover(const struct dt_variables *variables, uint32_t owner);

#endif
