/* SPDX-License-Identifier: MIT */
/*
 * earlier.h - what sessions have left in a process that have traced it before. (earlier.c)
 *
 * An agent's code and its region can never be unmapped: a thread may stand still anywhere in them, and nothing tells for
 * sure that none does. So the next session takes over the agent of one that has ended, at its addresses: code that is
 * the same stays, the page of control and the region are replaced in place. A thread in the agent's code
 * makes use of more than agent_head and struct agent_own only while it holds a slot: AGENT_END sees that no thread has
 * one, and that none gets one until the next session begins.
 */
#ifndef DT_USERLAND_EARLIER_H
#define DT_USERLAND_EARLIER_H

#include <stdbool.h>
#include <stdint.h>
#include "agent.h"
#include "remote.h"

#define DT_REGION_NAME	  "dtrace-region"
#define DT_CONTROL_NAME	  "dtrace-control"
#define DT_VARIABLES_NAME "dtrace-variables"

/* Where the next session takes over an agent. All zero: nowhere. */
struct dt_old_agent {
	uint64_t image;	       /* address of its code */
	uint64_t region, size; /* of the mapping of its region */
	uint64_t control;      /* of its page of control; 0: it has none */
	uint64_t own;	       /* of its struct agent_own; 0: it has none */
	struct agent_image entries;
};

enum dt_earlier {
	/*
	 * The process is at the door: its threads can be stopped by another dtrace too, which may begin with a place at the
	 * same time. So nothing is taken over.
	 */
	DT_EARLIER_LOOK,
	DT_EARLIER_WAIT, /* a thread is stopped by ptrace; the caller can let the process go, and call again */
	DT_EARLIER_LAST, /* the same, but it does not call again */
};

/*
 * Take back from a process what sessions have left that have ended, but for what threads may be in, and find a place for
 * this one.
 *	memory	of the process
 *	leader	by which agents know that this session lives
 * Return 0 and set *old; -EBUSY with a reason in why[DT_WHYLEN]: another dtrace traces the process; -EINPROGRESS: the
 * process still does what an ended session has it do; or another negative errno.
 */
int dt_earlier_end(struct dt_remote *remote, int memory, uint32_t leader, enum dt_earlier how,
		   struct dt_old_agent *old, char *why);

#endif
