/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * events.h - forks, execs and exits of all processes, for subscribers.
 *
 * A struct process_events is one subscriber. Its functions run in the middle of a fork, exec or
 * exit, with preemption off, and must not sleep. So they only note the event, in preallocated
 * memory, and leave the rest to a worker. All subscribers are called for each event, in the order
 * of registration. An event of no concern should cost a subscriber the test of one variable.
 */
#ifndef DTRACE_PROCESS_EVENTS_H
#define DTRACE_PROCESS_EVENTS_H

#include <linux/list.h>

struct linux_binprm;
struct task_struct;

/* Each function may be NULL. */
struct process_events {
	struct list_head list; /* process_events_register() fills it in */
	/*
	 * parent, which is current, has made child, a thread or a process, which does not run yet.
	 */
	void (*fork)(struct task_struct *parent, struct task_struct *child);
	/* task, which is current, executes another program, and has its memory already. */
	void (*exec)(struct task_struct *task, const struct linux_binprm *bprm);
	/*
	 * A thread, which is current, has exited and given up its memory. The thread is the last
	 * one of its process if task->signal->live is 0.
	 */
	void (*exit)(struct task_struct *task);
};

/*
 * process_events_register - call the functions of events from now on. events must live until it is
 * unregistered. Return 0, -ENOENT (the kernel lacks a tracepoint) or -ENOMEM. May sleep.
 */
int process_events_register(struct process_events *events);
/*
 * process_events_unregister - stop calling the functions of events, and wait until none of them
 * runs any more. May sleep. The caller holds no lock that a function takes.
 */
void process_events_unregister(struct process_events *events);

#endif
