/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * stop.h - threads that wait for a tracer; see dtrace/fasttrap.h for what that means.
 *
 * A holder belongs to an open file of the device, and is used by it only.
 */
#ifndef DTRACE_PROCESS_STOP_H
#define DTRACE_PROCESS_STOP_H

#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/poll.h>
#include <dtrace/fasttrap.h>

struct linux_binprm;
struct pid_namespace;
struct task_struct;
struct fasttrap_holder;

/* hold_create - a holder without watches, charged to the account; NULL: no memory. */
struct dtrace_account;
struct fasttrap_holder *hold_create(struct dtrace_account *account);
/* hold_destroy - all that it holds go on; no handler of its watches runs any more. */
void hold_destroy(struct fasttrap_holder *holder);
/* hold_release - 0, -ESRCH. hold_end - how many threads it held; -ENOENT. */
int hold_release(struct fasttrap_holder *holder, int tid);
int hold_end(struct fasttrap_holder *holder, int watch);
ssize_t hold_read(struct fasttrap_holder *holder, char __user *to, size_t size, bool block);
__poll_t hold_poll(struct fasttrap_holder *holder, struct file *file, poll_table *wait);

/* For /proc/dtrace/stats. */
void hold_stats_show(struct seq_file *seq);

/*
 * watch_exec, watch_address - a new watch: its number, or a negative errno (-EDQUOT: the limit of a
 * user). pid: that of the
 * process that the caller may trace, or NULL: by name. mm: the process's, held.
 */
int watch_exec(struct fasttrap_holder *holder, const dtrace_ft_hold_exec_t *exec, struct pid *pid);
int watch_address(struct fasttrap_holder *holder, const dtrace_ft_hold_address_t *address,
		  struct mm_struct *mm);
/* watch_note_exec - current executes a program. With preemption off. */
void watch_note_exec(const struct linux_binprm *bprm);

/*
 * families_note_fork - child, which does not run yet, is parent's. families_note_exit - a thread has
 * ended. Any context in which raw spin locks may be taken; not that of an interrupt.
 */
void families_note_fork(struct task_struct *parent, struct task_struct *child);
void families_note_exit(struct task_struct *task);
/*
 * families_root - a process (pid: in the first pid namespace) and its ancestors are followed: the
 * n-th of those whose descendants are, by its number in the namespace pid_ns (NULL: the first). 0:
 * there are no more. Contexts as above.
 */
pid_t families_root(pid_t pid, unsigned int n, struct pid_namespace *pid_ns);

void slots_init(void);
/* slots_exit - no function of a thread's that was held is under way. There are no holders. */
void slots_exit(void);

#endif
