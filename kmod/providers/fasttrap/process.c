// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * process.c - address spaces with registrations: created by the first registration or by a fork,
 * ended by exec and exit.
 *
 * The registry lock protects everything here; events.c has the table by which hits and events find
 * processes.
 */
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "impl.h"
#include "permission.h"

#define FORK_ERRLEN 256 /* of the reason why a child did not get a copy */

LIST_HEAD(fasttrap_processes);
/* In no table, and never freed. All its registrations have sessions. */
static struct fasttrap_process system_wide = {
	.state = FASTTRAP_PROCESS_LIVE,
	.dying = LIST_HEAD_INIT(system_wide.dying),
	.registrations = LIST_HEAD_INIT(system_wide.registrations),
	.providers = LIST_HEAD_INIT(system_wide.providers),
};
/* The process to which its own thread just copies registrations, or NULL. */
static struct fasttrap_process *copying;

struct fasttrap_process *fasttrap_process_system_wide(void)
{
	return &system_wide;
}

/*
 * Create a process that is NEW: hits and forks do not find it before fasttrap_events_process_add.
 * NULL: no memory.
 */
static struct fasttrap_process *process_create(const struct fasttrap_target *target)
{
	struct fasttrap_process *process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT);

	fasttrap_registry_assert_locked();
	if (!process)
		return NULL;
	process->account = dtrace_account_ref(target->account);
	mmgrab(target->mm);
	process->mm = target->mm;
	process->pid = target->pid;
	process->uid = target->uid;
	memcpy(process->comm, target->comm, sizeof(process->comm));
	INIT_LIST_HEAD(&process->dying);
	INIT_LIST_HEAD(&process->registrations);
	INIT_LIST_HEAD(&process->providers);
	list_add_tail(&process->all, &fasttrap_processes);
	return process;
}

/* ---- copy on fork ---- */

bool fasttrap_process_is_copying(const struct fasttrap_process *process)
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
 * Charge it to the child's memory cgroup. If there is no memory for a copy, the child goes on
 * without these probes: uprobes removes the inherited breakpoints at their first hit. The first
 * reason is reported.
 */
static void process_copy(const struct fasttrap_target *target,
			 const struct fasttrap_process *source)
{
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(target->mm),
			  *before = set_active_memcg(memcg);
	struct fasttrap_registration *from, *to;
	struct fasttrap_process *process = NULL;
	char errmsg[FORK_ERRLEN] = "fork: ";
	const size_t prefix = strlen(errmsg);
	bool reported = false;

	fasttrap_registry_assert_locked();
	list_for_each_entry(from, &source->registrations, all)
		if (is_copied_on_fork(from)) {
			process = process_create(target);
			break;
		}
	if (!process)
		goto out;
	process->ancestors[0] = source->pid;
	memcpy(process->ancestors + 1, source->ancestors,
	       sizeof(process->ancestors) - sizeof(process->ancestors[0]));
	copying = current->mm == target->mm ? process : NULL;
	list_for_each_entry(from, &source->registrations, all) {
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
out:
	set_active_memcg(before);
	mem_cgroup_put(memcg);
}

/*
 * Copy registrations to the child of a pending fork, unless it has exited or called exec. A kernel
 * thread uses the child's memory meanwhile, so that it can see the breakpoints there.
 */
static void fork_copy(struct fasttrap_fork *fork)
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
		process_copy(&target, fork->source);
		if (use_mm)
			kthread_unuse_mm(mm);
		dtrace_account_put(target.account);
	}
	mmput_async(mm);
out:
	fasttrap_events_fork_done(fork);
}

/* Copy the registrations of a process to all its pending fork children, before they change. */
static void process_copy_to_children(const struct fasttrap_process *process)
{
	struct fasttrap_fork *fork;

	while ((fork = fasttrap_events_fork_of(process)))
		fork_copy(fork);
}

/*
 * Return whether an address space has been copied from another, or from a common ancestor's, by
 * forks only. Each exec opens the program anew, and a fork child has its parent's open file.
 */
static bool process_is_forked(const struct mm_struct *mm, const struct mm_struct *from)
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
static void process_copy_from_parent(void)
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
	source = mm && process_is_forked(current->mm, mm) ? fasttrap_events_process(mm) : NULL;
	if (source)
		target.account = dtrace_account_get(permission_account(current_cred()),
						    permission_unlimited());
	if (target.account) {
		target.uid = source->uid;
		memcpy(target.comm, current->comm, sizeof(target.comm));
		process_copy(&target, source);
		dtrace_account_put(target.account);
	}
	if (mm)
		mmput_async(mm);
	put_task_struct(parent);
}

void fasttrap_process_copy_to_current(void)
{
	struct fasttrap_fork *fork;

	if (fasttrap_registry_lock_killable())
		return; /* it will not return to user mode */
	fork = fasttrap_events_fork(current->mm);
	if (fork) {
		fork_copy(fork);
		atomic64_inc(&fasttrap_counts.copied_by_hit);
	} else if (fasttrap_events_lost() && !fasttrap_events_process(current->mm)) {
		process_copy_from_parent();
	}
	fasttrap_registry_unlock();
}

/* ---- find and create ---- */

struct fasttrap_process *fasttrap_process_find(struct mm_struct *mm)
{
	struct fasttrap_fork *fork = fasttrap_events_fork(mm);
	struct fasttrap_process *process;

	fasttrap_registry_assert_locked();
	if (fork)
		fork_copy(fork);
	process = fasttrap_events_process(mm);
	if (process)
		process_copy_to_children(process);
	return process;
}

struct fasttrap_process *fasttrap_process_find_or_create(const struct fasttrap_target *target)
{
	struct fasttrap_process *process =
		target->mm ? fasttrap_process_find(target->mm) : &system_wide;

	fasttrap_registry_assert_locked();
	if (process)
		return process;
	process = process_create(target);
	if (process)
		fasttrap_events_process_add(process);
	return process;
}

/* ---- the end of processes ---- */

/*
 * Remove the process from the tables first, so that no more forks refer to it, and then handle
 * pending forks that do.
 */
static void process_retire(struct fasttrap_process *process, struct list_head *dead)
{
	fasttrap_events_process_remove(process);
	process_copy_to_children(process);
	list_add_tail(&process->dying, dead);
}

void fasttrap_process_take_dead(struct list_head *dead, bool all)
{
	struct fasttrap_process *process;

	fasttrap_registry_assert_locked();
	while ((process = fasttrap_events_next_dying()))
		process_retire(process, dead);
	list_for_each_entry(process, &fasttrap_processes, all)
		if ((all || list_empty(&process->registrations)) &&
		    READ_ONCE(process->state) == FASTTRAP_PROCESS_LIVE)
			process_retire(process, dead);
}

void fasttrap_process_free(struct fasttrap_process *process)
{
	fasttrap_registry_assert_locked();
	list_del(&process->all);
	dtrace_account_put(process->account);
	mmdrop(process->mm);
	kfree_rcu(process, rcu);
	atomic64_inc(&fasttrap_counts.retired);
}

/* ---- the worker of events.c ---- */

void fasttrap_process_catch_up(unsigned int nforks)
{
	struct fasttrap_fork *fork;

	for (; nforks; nforks--) {
		fasttrap_registry_lock(); /* one at a time: others may wait for it */
		fork = fasttrap_events_next_fork();
		if (fork)
			fork_copy(fork);
		fasttrap_registry_unlock();
		cond_resched();
		if (!fork)
			break;
	}
	fasttrap_retire_run(false);
	fasttrap_uprobe_kick();
}
