/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * descendants.h - the descendants of processes whose forks a tracer follows.
 *
 * All functions take descendants_lock, a raw spin lock. They may be called in any context of a
 * process, but not in interrupts. A tracer's raw spin lock is taken under descendants_lock.
 */
#ifndef DTRACE_PROCESS_DESCENDANTS_H
#define DTRACE_PROCESS_DESCENDANTS_H

#include <linux/types.h>

struct descendants;
struct pid;
struct pid_namespace;
struct stop_tracer;
struct task_struct;

/*
 * Begin to follow the process root, which is the first of its own descendants. The tracer is
 * charged. Return -ENOMEM or -EDQUOT as ERR_PTR. May sleep.
 */
struct descendants *descendants_create(struct stop_tracer *tracer, struct pid *root);
/* Stop following. NULL is allowed. May sleep. */
void descendants_destroy(struct descendants *d);
/* Return whether the process is one of the descendants. */
bool descendants_have(const struct descendants *d, const struct pid *pid);
/* Return whether the process descends from any process that the tracer follows. */
bool descendants_of_tracer(const struct stop_tracer *tracer, const struct pid *pid);
/*
 * Return the n-th process from which the process pid descends, and which a tracer follows; 0: there
 * are no more. pid is a number in the first PID namespace, the result one in pid_ns (NULL: the
 * first).
 */
pid_t descendants_root(pid_t pid, unsigned int n, struct pid_namespace *pid_ns);
/* Note that parent has forked child, which does not run yet. */
void descendants_note_fork(struct task_struct *parent, struct task_struct *child);
/* Note that a thread has exited. Its process is forgotten with the last thread. */
void descendants_note_exit(struct task_struct *task);

#endif
