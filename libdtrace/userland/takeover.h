/* SPDX-License-Identifier: MIT */
/*
 * takeover.h - removes and takes over what earlier sessions have left in a process. (takeover.c)
 *
 * An agent's code and region can never be unmapped, because a thread may be stopped anywhere in
 * them, and dtrace cannot find out for sure that no thread is. Therefore the next session takes
 * over the agent of an ended session at the same addresses. Equal code stays; the control page and
 * the region are replaced. A thread in the agent's code without a slot uses only agent_head and
 * struct agent_own. AGENT_END checks that no thread has a slot, and prevents threads from taking
 * one until the next session begins.
 */
#ifndef DT_USERLAND_TAKEOVER_H
#define DT_USERLAND_TAKEOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "agent.h"
#include "remote.h"

#define DT_REGION_NAME	  "dtrace-region"
#define DT_CONTROL_NAME	  "dtrace-control"
#define DT_VARIABLES_NAME "dtrace-variables"

/* The agent of an ended session, which the next session takes over. All zero: none. */
struct dt_old_agent {
	uint64_t image;	       /* address of its code */
	uint64_t region, size; /* of the mapping of its region */
	uint64_t control;      /* of its control page; 0: it has none */
	uint64_t own;	       /* of its struct agent_own; 0: it has none */
	struct agent_image entries;
};

enum dt_takeover_how {
	/*
	 * The process is at the door. Another dtrace can also stop its threads, and might take over
	 * the same agent, so nothing is taken over.
	 */
	DT_TAKEOVER_LOOK,
	/* a thread is stopped by ptrace; the caller can let the process go on, and call again */
	DT_TAKEOVER_WAIT,
	DT_TAKEOVER_LAST, /* a thread is stopped by ptrace; the caller does not call again */
};

/*
 * Undo the patches of ended sessions in a process, unmap their memory except where threads may be,
 * and choose an agent for this session to take over.
 *	memory	of the process
 *	leader	the number by which agents see that this session lives
 * Return 0 and set *old; -EBUSY with a reason in why[DT_WHYLEN] if another dtrace traces the
 * process; -EINPROGRESS if the process is still carrying out a request of an ended session; or
 * another negative errno.
 */
int dt_takeover(struct dt_remote *remote, int memory, uint32_t leader, enum dt_takeover_how how,
		struct dt_old_agent *old, char *why);
/*
 * Read n bytes of a process's code at start as they are without the patches of sessions. Return
 * false if they cannot be read, or without memory.
 */
bool dt_takeover_code(pid_t pid, uint64_t start, uint8_t *code, size_t n);

#endif
