/* SPDX-License-Identifier: MIT */
/*
 * sigframe.h - signal frames: the contexts to which signal handlers return. (sigframe.c)
 *
 * The search finds the frames on the stack of a thread, and on the stacks of the code that its
 * handlers have interrupted. It does not find a context that the program has left otherwise, such
 * as that of a handler that switches to another stack by swapcontext(), nor one in memory of a
 * file: reading that may wait for a server.
 */
#ifndef DT_USERLAND_SIGFRAME_H
#define DT_USERLAND_SIGFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "space.h"

/* A signal frame. */
struct dt_sigframe {
	uint64_t ip; /* where the interrupted code goes on */
	uint64_t at; /* the address of that word of the frame */
};

#define DT_SIGFRAME_CALLS 32 /* addresses of code that calls rt_sigreturn(), or does not */

/* A search in one process. All zero: it begins. dt_sigframes_free() ends it. */
struct dt_sigframes {
	struct dt_sigframe *list;
	size_t n;
	/* private to sigframe.c */
	uint64_t *words;   /* of the stack that is searched; NULL: none yet */
	uint64_t searched; /* bytes */
	struct {
		uint64_t addr;
		bool yes;
	} calls[DT_SIGFRAME_CALLS];
	size_t ncalls;
};

/*
 * Find frames for a thread that is stopped, and add them to frames. The search begins at sp, its
 * stack pointer, and goes upward through 1 MiB of the stack at most. Then it does the same on each
 * stack whose code a found frame has interrupted. Frames of handlers that have returned may be
 * among them; nothing reads these.
 *	mem	/proc/PID/mem, open for reading
 *	space	its mappings
 *	match	which frames to add, by the address where the interrupted code goes on
 * Return 0; -ENOMEM; or -E2BIG: the process has too much on its stacks to search, or to add.
 */
int dt_sigframes_find(int mem, const struct dt_space *space, uint64_t sp,
		      bool (*match)(const void *arg, uint64_t ip), const void *arg,
		      struct dt_sigframes *frames);

/* Free what a search has found, and its memory. */
void dt_sigframes_free(struct dt_sigframes *frames);

#endif
