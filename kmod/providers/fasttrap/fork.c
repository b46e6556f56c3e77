// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fork.c - fork children get copies of their parent's registrations: from the worker of events.c,
 * or before that at their first hit, or before parent or child change what they have.
 *
 * The registry lock protects everything here.
 */
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "impl.h"
#include "permission.h"

#define FORK_ERRLEN 256 /* of the reason why a child did not get a copy */
#define FORK_FEW    8	/* children that get their copies in one hold of the registry lock */
#define FORK_PATIENCE \
	1024 /* children for whom a change waits, of a process that forks all the time */

/* The process to which its own thread just copies registrations, or NULL. */
static struct fasttrap_process *copying;

bool fasttrap_fork_is_copying(const struct fasttrap_process *process)
{
	return fasttrap_registry_is_mine() && copying == process;
}

/* Return whether fork children get a copy: those of sessions only if the session follows forks. */
static bool is_copied_on_fork(const struct fasttrap_registration *r)
{
	return !r->session || (r->follow && !r->session->ended);
}

/*
 * Create the process of a fork child with copies of the source's registrations, if any are copied.
 * If there is no memory for a copy, the child goes on without these probes: uprobes removes the
 * inherited breakpoints at their first hit. The first reason is reported.
 */
static void fork_copy_registrations(const struct fasttrap_target *target,
				    const struct fasttrap_process *source)
{
	struct fasttrap_registration *from, *to;
	struct fasttrap_process *process = NULL;
	char errmsg[FORK_ERRLEN] = "fork: ";
	const size_t prefix = strlen(errmsg);
	bool reported = false;

	fasttrap_registry_assert_locked();
	list_for_each_entry(from, &source->registrations, all)
		if (is_copied_on_fork(from)) {
			process = fasttrap_process_create(target);
			break;
		}
	if (!process)
		return;
	process->ancestors[0] = source->pid;
	memcpy(process->ancestors + 1, source->ancestors,
	       sizeof(process->ancestors) - sizeof(process->ancestors[0]));
	copying = current->mm == target->mm ? process : NULL;
	list_for_each_entry(from, &source->registrations, all) {
		cond_resched();
		if (!is_copied_on_fork(from))
			continue;
		errmsg[prefix] = '\0';
		to = fasttrap_registration_copy(process, from, errmsg + prefix,
						sizeof(errmsg) - prefix);
		if (!IS_ERR(to)) {
			fasttrap_registration_match(to);
			continue;
		}
		if (reported)
			continue;
		reported = true;
		fasttrap_count_refused();
		atomic64_inc(&fasttrap_counts.fork_failures);
		fasttrap_error_note(from_kuid_munged(&init_user_ns, process->uid), process->pid,
				    process->comm, PTR_ERR(to), errmsg);
	}
	process->next_gen = source->next_gen;
	copying = NULL;
	fasttrap_events_process_add(process);
	atomic64_inc(&fasttrap_counts.forks);
}

void fasttrap_fork_copy(struct fasttrap_fork *fork)
{
	struct mm_struct *mm = fork->mm;
	struct fasttrap_target target = {.mm = mm, .pid = fork->pid, .uid = fork->source->uid};
	bool use_mm = (current->flags & PF_KTHREAD) && !current->mm;

	fasttrap_registry_assert_locked();
	if (READ_ONCE(fork->gone) || !mmget_not_zero(mm))
		goto out;
	memcpy(target.comm, fork->comm, sizeof(target.comm));
	target.account = dtrace_account_get(fork->account, fork->unlimited);
	if (target.account) { /* without memory, it has no probes */
		if (use_mm)
			kthread_use_mm(mm);
		fork_copy_registrations(&target, fork->source);
		if (use_mm)
			kthread_unuse_mm(mm);
		dtrace_account_put(target.account);
	}
	mmput_async(mm);
out:
	fasttrap_events_fork_done(fork);
}

void fasttrap_fork_copy_to_children(const struct fasttrap_process *process)
{
	struct fasttrap_fork *fork;
	unsigned int n;

	for (n = 0; (fork = fasttrap_events_fork_of(process)); n++) {
		if (n < FORK_FEW) {
			fasttrap_fork_copy(fork);
		} else {
			if (!list_empty(&process->registrations) && !READ_ONCE(fork->gone))
				atomic64_inc(&fasttrap_counts.fork_overflows);
			fasttrap_events_fork_done(fork);
		}
	}
}

int fasttrap_fork_lock_parent(const struct mm_struct *mm)
{
	struct fasttrap_process *process;
	struct fasttrap_fork *fork;
	unsigned int n;
	int error;

	for (n = 0;; n++) {
		error = fasttrap_registry_lock_killable();
		if (error)
			return error;
		process = mm && n < FORK_PATIENCE ? fasttrap_events_process(mm) : NULL;
		fork = process ? fasttrap_events_fork_of(process) : NULL;
		if (!fork)
			return 0;
		fasttrap_fork_copy(fork);
		fasttrap_registry_unlock();
		cond_resched();
	}
}

/*
 * Return whether an address space has been copied from another, or from a common ancestor's, by
 * forks only. Each exec opens the program anew, and a fork child has its parent's open file.
 */
static bool fork_is_of(const struct mm_struct *mm, const struct mm_struct *from)
{
	return rcu_access_pointer(mm->exe_file) == rcu_access_pointer(from->exe_file) &&
	       READ_ONCE(mm->start_stack) == READ_ONCE(from->start_stack);
}

/*
 * Copy the registrations of its parent to the current process, whose fork was not noted for lack of
 * memory, if the parent is alive and known.
 *
 * A process may come here that has executed another program, which others trace, or has another
 * parent now. It must not get anything then: sites would be elsewhere in its memory, and semaphores
 * would be raised there, in the name of the parent's user.
 */
static void fork_copy_from_parent(void)
{
	struct fasttrap_target target = {.mm = current->mm, .pid = current->tgid};
	struct fasttrap_process *source;
	struct task_struct *parent;
	struct mm_struct *mm;

	rcu_read_lock();
	parent = rcu_dereference(current->real_parent);
	get_task_struct(parent);
	rcu_read_unlock();
	mm = get_task_mm(parent);
	source = mm && fork_is_of(current->mm, mm) ? fasttrap_events_process(mm) : NULL;
	if (source)
		target.account = dtrace_account_get(permission_account(current_cred()),
						    permission_unlimited());
	if (target.account) {
		target.uid = source->uid;
		memcpy(target.comm, current->comm, sizeof(target.comm));
		fork_copy_registrations(&target, source);
		dtrace_account_put(target.account);
	}
	if (mm)
		mmput_async(mm);
	put_task_struct(parent);
}

void fasttrap_fork_copy_to_current(void)
{
	struct fasttrap_fork *fork;

	if (fasttrap_registry_lock_killable())
		return; /* it will not return to user mode */
	fork = fasttrap_events_fork(current->mm);
	if (fork) {
		fasttrap_fork_copy(fork);
		atomic64_inc(&fasttrap_counts.copied_by_hit);
	} else if (fasttrap_events_lost() && !fasttrap_events_process(current->mm)) {
		fork_copy_from_parent();
	}
	fasttrap_registry_unlock();
}

void fasttrap_fork_catch_up(unsigned int nforks)
{
	struct fasttrap_fork *fork;

	for (; nforks; nforks--) {
		fasttrap_registry_lock(); /* one at a time: others may wait for it */
		fork = fasttrap_events_next_fork();
		if (fork)
			fasttrap_fork_copy(fork);
		fasttrap_registry_unlock();
		cond_resched();
		if (!fork)
			break;
	}
	fasttrap_retire_run(false);
	fasttrap_uprobe_kick();
}
