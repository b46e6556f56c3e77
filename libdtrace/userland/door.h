/* SPDX-License-Identifier: MIT */
/*
 * door.h - the consumer's side of <dtrace/join.h>: the door of a session, by which programs that
 * start come to it.
 *
 * Programs are not trusted. All data from them is bounded in size and in time. No function here
 * waits for a program except the operations of a visitor's remote. They wait for DT_DOOR_PATIENCE
 * ms in all, and for up to DT_DOOR_BUSY ms more while either side waits for a processor. While the
 * consumer works in one program, other programs wait in turn, as long as join.h says.
 */
#ifndef DT_USERLAND_DOOR_H
#define DT_USERLAND_DOOR_H

#include <dtrace/join.h>
#include "remote.h"

#define DT_DOOR_PATIENCE 3000  /* ms */
#define DT_DOOR_BUSY	 12000 /* ms */

struct dt_door;

/* A registration that a program has sent or removed. */
struct dt_visitor_item {
	int32_t number; /* of the registration: unique within the instance */
	void *dof;	/* of a new registration; NULL: the registration has ended */
	size_t size; /* bytes of dof, at least dofh_loadsz; the rest of the DOF is not verified */
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
	/* Carries out work in the program. The program goes on after the operation end. */
	struct dt_remote *remote;
};

/*
 * Make a door for programs of the caller's user; root's door serves all users. Remove the doors of
 * killed consumers. Return 0 and set *door, which dt_door_close() frees; or return a negative errno
 * and write the reason, of at most size bytes with its NUL, to why.
 */
int dt_door_open(struct dt_door **door, char *why, size_t size);

/* Remove the door, and let all programs at the door go on. Visitors are not affected. */
void dt_door_close(struct dt_door *door);

/* Return the descriptor that is readable (POLLIN) when dt_door_accept() can make progress. */
int dt_door_fd(const struct dt_door *door);

/*
 * Return the next visitor, or NULL if no program is ready. Do not wait. The caller ends the
 * visitor's remote and sets it to NULL, takes over or closes the rest, and calls dt_visitor_free().
 */
struct dt_visitor *dt_door_accept(struct dt_door *door);

/*
 * Free a visitor. If it still has a remote, the program goes on and receives error, the reason why
 * the session does not trace it. An open pidfd is closed.
 */
void dt_visitor_free(struct dt_visitor *visitor, int error);

#endif
