/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * events.h - forks, execs and exits of the processes that fasttrap knows.
 *
 * The event lock, a raw spin lock in events.c, protects everything here. All functions may be
 * called in any context of a process where nothing else is said.
 */
#ifndef DTRACE_PROVIDERS_FASTTRAP_EVENTS_H
#define DTRACE_PROVIDERS_FASTTRAP_EVENTS_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/types.h>

struct fasttrap_process;
struct mm_struct;

/* A fork whose child does not have copies of its parent's registrations yet. */
struct fasttrap_fork {
	struct list_head list; /* event lock: free or pending */
	struct hlist_node by_mm;
	struct mm_struct *mm;		 /* the child's, grabbed */
	pid_t pid;			 /* the child's */
	uint32_t account;		 /* of the child's user */
	bool unlimited;			 /* that user has no limits */
	struct fasttrap_process *source; /* whose registrations the child has meanwhile */
	char comm[TASK_COMM_LEN];
	bool gone; /* the child has exited or called exec */
};

/* Allocate memory for forks, and register for events. Return -ENOMEM or -ENOENT. May sleep. */
int fasttrap_events_init(void);
/* Stop noting events. May sleep. */
void fasttrap_events_stop(void);
/* Free the memory, after the uprobe worker has ended: handlers may search forks until then. */
void fasttrap_events_exit(void);
/* NEW to LIVE: make a process known to hits and events. */
void fasttrap_events_process_add(struct fasttrap_process *process);
/* LIVE or DYING to RETIRED: make it unknown. */
void fasttrap_events_process_remove(struct fasttrap_process *process);
/* Return the process that has the address space, or NULL. Registry lock or RCU. */
struct fasttrap_process *fasttrap_events_process(const struct mm_struct *mm);
/*
 * Return the process that has the address space, or the one whose registrations a fork child has
 * meanwhile. Probe context. Return NULL also if another CPU is just changing that.
 */
struct fasttrap_process *fasttrap_events_process_or_source(const struct mm_struct *mm);
/*
 * Return the oldest pending fork, or NULL. It is valid until fasttrap_events_fork_done [registry
 * lock].
 */
struct fasttrap_fork *fasttrap_events_next_fork(void);
/*
 * How many runs of the worker a process that is DYING waits for its fork children to get their
 * copies: its children may fork on all the time.
 */
#define FASTTRAP_DYING_RUNS 2
/*
 * Return a process that is DYING, and whose fork children have their copies, or that has waited for
 * them long enough; or NULL [registry lock].
 */
struct fasttrap_process *fasttrap_events_next_dying(void);
/* Free a pending fork [registry lock]. */
void fasttrap_events_fork_done(struct fasttrap_fork *fork);
/* Return the pending fork of the address space, or NULL. Without the registry lock it is a hint. */
struct fasttrap_fork *fasttrap_events_fork(const struct mm_struct *mm);
/* Return a pending fork whose source is the process, or NULL [registry lock]. */
struct fasttrap_fork *fasttrap_events_fork_of(const struct fasttrap_process *source);
/* Start the worker soon: there is something to retire. */
void fasttrap_events_soon(void);
/* Have the worker do everything that is pending, and wait. No lock may be held. Sleeps. */
void fasttrap_events_flush(void);
/* Do and wait for the same, but return -EINTR if the caller is being killed. */
int fasttrap_events_flush_killable(void);
/* Return whether forks have been missed since the module was loaded. */
bool fasttrap_events_lost(void);

#endif
