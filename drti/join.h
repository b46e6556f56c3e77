/* SPDX-License-Identifier: MIT */
/* join.h - the program's side of <dtrace/join.h>. (join.c, peer.c) */
#ifndef DRTI_JOIN_H
#define DRTI_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <dtrace/join.h>

#define JOIN_ITEMS 16 /* that wait for a conversation */

/* A change of which sessions learn. */
struct join_item {
	uint32_t type;
	union {
		struct dtrace_join_dof dof;
		struct dtrace_join_remove remove;
	};
	const void *bytes; /* the DOF */
	size_t size;	   /* of the DOF */
	void *pages;	   /* the DOF, if it is to be unmapped; else NULL */
};

struct join {
	const void *instance;
	struct join_item items[JOIN_ITEMS];
	unsigned int nitems;
	int dirs[2]; /* open directories that may have doors */
	unsigned int ndirs;
	char paths[2][40];
	time_t end; /* when the program goes on in any case; by CLOCK_MONOTONIC, in seconds */
};

#if defined __x86_64__ && defined __LP64__

/*
 * Look for directories of doors. *j need not be initialised. Programs that are set-id or not
 * dumpable find none. errno may change, as it may in the functions below.
 */
void join_open(struct join *j, const void *instance);

/* Return whether there may be a door. */
static inline bool join_any(const struct join *j)
{
	return j->ndirs != 0;
}

/*
 * Note a new registration.
 *	bytes, size	the DOF, which stays as it is until join_close()
 *	ours		join_close() unmaps it
 */
void join_dof(struct join *j, int number, const struct dof_helper *helper, const void *bytes,
	      size_t size, bool ours);
/* Note the end of a registration. */
void join_remove(struct join *j, int number);

/* Report the program to all sessions, and carry out their requests; close the directories. */
void join_close(struct join *j);

#else /* there are no doors for programs of this machine */

static inline void join_open(struct join *j, const void *instance)
{
	(void)instance;
	j->ndirs = 0;
}

static inline bool join_any(const struct join *j)
{
	(void)j;
	return false;
}

static inline void join_dof(struct join *j, int number, const struct dof_helper *helper,
			    const void *bytes, size_t size, bool ours)
{
	(void)j, (void)number, (void)helper, (void)bytes, (void)size, (void)ours;
}

static inline void join_remove(struct join *j, int number)
{
	(void)j, (void)number;
}

static inline void join_close(struct join *j)
{
	(void)j;
}

#endif

#endif
