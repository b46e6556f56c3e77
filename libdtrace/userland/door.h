/* SPDX-License-Identifier: MIT */
/*
 * door.h - the consumer's side of <dtrace/join.h>: the door of a session, by which programs that
 * start come to it.
 *
 * Programs are not trusted. All of what they send is bounded, in size and in time, and none of the
 * functions waits for a program but the operations of a visitor's remote, which wait for
 * DT_DOOR_PATIENCE ms in all, and for DT_DOOR_BUSY ms more if that is because either side waits for a
 * processor. While the consumer works in one program, others wait in turn; they have as much patience
 * as join.h says.
 */
#ifndef DT_USERLAND_DOOR_H
#define DT_USERLAND_DOOR_H

#include <dtrace/join.h>
#include "remote.h"

#define DT_DOOR_PATIENCE 3000  /* ms */
#define DT_DOOR_BUSY	 12000 /* ms */

struct dt_door;

/* What a program has told. */
struct dt_visitor_item {
	int32_t number; /* of the registration; one of the same owner and number */
	void *dof;	/* a new registration; NULL: the registration has ended */
	size_t size;	/* bytes of dof, at least dofh_loadsz; nothing else of it is verified */
	dof_helper_t helper; /* of a new registration; dofhp_mod ends with NUL */
};

/* A program that waits in its start-up object. */
struct dt_visitor {
	pid_t pid; /* by which the consumer knows the process */
	uid_t uid; /* effective, when it came */
	gid_t gid;
	int pidfd;	   /* readable when the process has ended; -1: the kernel has none */
	uint64_t instance; /* of the runtime: an address in the program or library */
	struct dt_visitor_item *items;
	size_t nitems;
	/* The program does what this asks for, and goes on after its operation end. */
	struct dt_remote *remote;
};

/*
 * Make a door for programs of the caller's user; root's is for those of all users. Doors that ended
 * consumers have left behind are removed. Return 0 and set *door, which dt_door_close() frees; or
 * return a negative errno and write the reason to why, a text of at most size bytes with its NUL.
 */
int dt_door_open(struct dt_door **door, char *why, size_t size);

/* Remove the door, and let all programs go that are at it. Visitors are not concerned. */
void dt_door_close(struct dt_door *door);

/* Return the descriptor that is readable (POLLIN) when dt_door_accept() has something to do. */
int dt_door_fd(const struct dt_door *door);

/*
 * Return the next program that is ready, or NULL if none is. Does not wait. The caller ends the
 * visitor's remote, which it sets to NULL then, closes or keeps what it wants, and calls
 * dt_visitor_free().
 */
struct dt_visitor *dt_door_accept(struct dt_door *door);

/*
 * Free a visitor. With a remote the program goes on, and is told the errno by which the session does
 * not want it. An open pidfd is closed.
 */
void dt_visitor_free(struct dt_visitor *visitor, int error);

#endif
