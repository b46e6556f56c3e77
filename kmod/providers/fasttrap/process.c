// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * process.c - address spaces with registrations: made by the first registration or by a
 * fork, ended by exec and exit.
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
#include "dev/permission.h"

#define FORK_ERRLEN	256	/* of why a child did not get its parent's registrations */

static LIST_HEAD(processes);			/* registry */
/* It is in no table and never ends; its registrations have owners. */
static struct fasttrap_process everybody = {
	.dying = LIST_HEAD_INIT(everybody.dying),
	.registrations = LIST_HEAD_INIT(everybody.registrations),
	.providers = LIST_HEAD_INIT(everybody.providers),
	.ready = true,
};
/* registry: the process that is being adopted by its own thread */
static struct fasttrap_process *inheriting;

/* ---- one process ---- */

/* Not found by hits and forks until events_process_add. NULL: no memory. */
static struct fasttrap_process *process_create(const struct fasttrap_target *target)
{
	struct fasttrap_process *process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT);

	lockdep_assert_registry();
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
	list_add_tail(&process->all, &processes);
	return process;
}

/* ---- forks ---- */

bool fasttrap_process_is_copying(const struct fasttrap_process *process)
{
	return registry_mine() && inheriting == process;
}

/* What has an owner stays behind, unless the owner follows forks. */
static bool registration_is_inherited(const struct fasttrap_registration *r)
{
	return !r->owner || (r->follow && !r->owner->ended);
}

static bool process_bequeaths(const struct fasttrap_process *process)
{
	const struct fasttrap_registration *r;

	list_for_each_entry(r, &process->registrations, all)
		if (registration_is_inherited(r))
			return true;
	return false;
}

/*
 * A child for which there is no room goes on without probes: uprobes take out what it has inherited
 * at the first hit. Once for each child it is told why.
 */
static void process_copy_refused(const struct fasttrap_process *process, int error,
				 const char *errmsg)
{
	fasttrap_note_refusal();
	atomic64_inc(&fasttrap_counts.fork_refusals);
	helper_error_note(from_kuid_munged(&init_user_ns, process->uid), process->pid, process->comm,
			  error, errmsg);
}

static void process_copy(struct fasttrap_process *process, const struct fasttrap_process *source)
{
	struct fasttrap_registration *from, *to;
	char errmsg[FORK_ERRLEN] = "fork: ";
	const size_t before = strlen(errmsg);
	bool told = false;

	list_for_each_entry(from, &source->registrations, all) {
		if (!registration_is_inherited(from))
			continue;
		errmsg[before] = '\0';
		to = registration_copy(process, from, errmsg + before, sizeof(errmsg) - before);
		if (!IS_ERR(to))
			registration_match(to);
		else if (!told)
			process_copy_refused(process, PTR_ERR(to), errmsg);
		told |= IS_ERR(to);
	}
	process->next_gen = source->next_gen;
}

static void process_descend(struct fasttrap_process *process, const struct fasttrap_process *source)
{
	process->ancestors[0] = source->pid;
	memcpy(process->ancestors + 1, source->ancestors,
	       sizeof(process->ancestors) - sizeof(process->ancestors[0]));
}

/* What the child gets is charged to the child, but for what has an owner. */
static void process_adopt(const struct fasttrap_target *target,
			  const struct fasttrap_process *source)
{
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(target->mm),
			  *before = set_active_memcg(memcg);
	struct fasttrap_process *process = process_bequeaths(source) ? process_create(target) : NULL;

	lockdep_assert_registry();
	if (process) {
		inheriting = current->mm == target->mm ? process : NULL;
		process_descend(process, source);
		process_copy(process, source);
		inheriting = NULL;
		events_process_add(process);
		atomic64_inc(&fasttrap_counts.forks);
	}
	set_active_memcg(before);
	mem_cgroup_put(memcg);
}

/*
 * With the child's memory, so that the breakpoints in it can be seen. Not needed by the child
 * itself.
 */
static void fork_adopt_in(struct fasttrap_fork *fork)
{
	struct fasttrap_target target = {
		.mm = fork->mm, .pid = fork->pid, .uid = fork->source->uid,
		.account = dtrace_account_get(fork->account, fork->unlimited)};
	bool borrow = (current->flags & PF_KTHREAD) && !current->mm;

	if (!target.account)
		return;		/* no memory: it has no probes */
	memcpy(target.comm, fork->comm, sizeof(target.comm));
	if (borrow)
		kthread_use_mm(fork->mm);
	process_adopt(&target, fork->source);
	if (borrow)
		kthread_unuse_mm(fork->mm);
	dtrace_account_put(target.account);
}

/* A child that has gone again, or called exec, has nothing to be adopted for. */
static void fork_adopt(struct fasttrap_fork *fork)
{
	struct mm_struct *mm = fork->mm;
	bool alive = !READ_ONCE(fork->gone) && mmget_not_zero(mm);

	if (alive) {
		fork_adopt_in(fork);
		mmput_async(mm);
	}
	events_fork_done(fork);
}

/* What changes in a process from now on is not for the children that it has by now. */
static void process_adopt_children(const struct fasttrap_process *process)
{
	struct fasttrap_fork *fork;

	lockdep_assert_registry();
	while ((fork = events_fork_of(process)))
		fork_adopt(fork);
}

static struct task_struct *parent_get(void)
{
	struct task_struct *parent;

	rcu_read_lock();
	parent = rcu_dereference(current->real_parent);
	get_task_struct(parent);
	rcu_read_unlock();
	return parent;
}

/* Its fork was not noted for want of room. If its parent is known, and alive, it is as good. */
static void process_adopt_from_parent(void)
{
	struct fasttrap_target target = { .mm = current->mm, .pid = current->tgid };
	struct task_struct *parent = parent_get();
	struct mm_struct *mm = get_task_mm(parent);
	struct fasttrap_process *source = mm ? events_process(mm) : NULL;

	if (source)
		target.account = dtrace_account_get(permission_account(current_cred()),
						    permission_unlimited());
	if (target.account) {
		target.uid = source->uid;
		memcpy(target.comm, current->comm, sizeof(target.comm));
		process_adopt(&target, source);
		dtrace_account_put(target.account);
	}
	if (mm)
		mmput_async(mm);
	put_task_struct(parent);
}

void process_adopt_current(void)
{
	struct fasttrap_fork *fork;

	if (registry_lock_killable())
		return;		/* it will not come back to user land */
	fork = events_fork(current->mm);
	if (fork) {
		fork_adopt(fork);
		atomic64_inc(&fasttrap_counts.adopted_by_hit);
	} else if (events_lost() && !events_process(current->mm)) {
		process_adopt_from_parent();
	}
	registry_unlock();
}

struct fasttrap_process *process_find(struct mm_struct *mm)
{
	struct fasttrap_fork *fork = events_fork(mm);
	struct fasttrap_process *process;

	lockdep_assert_registry();
	if (fork)
		fork_adopt(fork);
	process = events_process(mm);
	if (process)
		process_adopt_children(process);
	return process;
}

struct fasttrap_process *process_everybody(void)
{
	return &everybody;
}

struct fasttrap_process *process_get(const struct fasttrap_target *target)
{
	struct fasttrap_process *process =
		target->mm ? process_find(target->mm) : process_everybody();

	lockdep_assert_registry();
	if (process)
		return process;
	process = process_create(target);
	if (process)
		events_process_add(process);
	return process;
}

/* ---- the end of processes ---- */

/*
 * Forks that wait refer to it: once it is unknown there come no more, and then they must be done.
 */
static void process_doom(struct fasttrap_process *process, struct list_head *doomed)
{
	lockdep_assert_registry();
	events_process_del(process);
	process_adopt_children(process);
	process->doomed = true;
	list_add_tail(&process->dying, doomed);
}

void process_remove_registrations(struct fasttrap_process *process)
{
	struct fasttrap_registration *r, *next;

	lockdep_assert_registry();
	list_for_each_entry_safe(r, next, &process->registrations, all) {
		registration_remove(r);
		cond_resched();
	}
}

void process_destroy(struct fasttrap_process *process)
{
	lockdep_assert_registry();
	list_del(&process->all);
	dtrace_account_put(process->account);
	mmdrop(process->mm);
	kfree_rcu(process, rcu);
	atomic64_inc(&fasttrap_counts.buried);
}

void processes_take_dead(struct list_head *dead, bool all)
{
	struct fasttrap_process *process;

	lockdep_assert_registry();
	while ((process = events_next_dead()))
		process_doom(process, dead);
	list_for_each_entry(process, &processes, all)
		if ((all || list_empty(&process->registrations)) && list_empty(&process->dying))
			process_doom(process, dead);
}

/* ---- what has happened meanwhile ---- */

static bool adopt_one(void)
{
	struct fasttrap_fork *fork = events_next();

	if (fork)
		fork_adopt(fork);
	return fork;
}

void process_catch_up(unsigned int nforks)
{
	bool more = true;

	for (; nforks && more; nforks--) {
		registry_lock();	/* one at a time: others may wait for it */
		more = adopt_one();
		registry_unlock();
		cond_resched();
	}
	burial_run(false);
	fasttrap_uprobe_kick();
}

/* ---- /proc/dtrace/processes ---- */

/* One page of lines at a time: the registry is free between. */
static void *process_start(struct seq_file *seq, loff_t *pos)
{
	if (registry_lock_killable())
		return ERR_PTR(-EINTR);
	return seq_list_start_head(&processes, *pos);
}

static void *process_next(struct seq_file *seq, void *v, loff_t *pos)
{
	return seq_list_next(v, &processes, pos);
}

static void process_stop(struct seq_file *seq, void *v)
{
	if (!IS_ERR(v))
		registry_unlock();
}

#define SHOWN_PROVIDERS	256	/* of a process: lines are made with the registry */

/* With what owners have registered. */
static void process_total(const struct fasttrap_process *process, struct fasttrap_load *total)
{
	const struct fasttrap_registration *r;

	list_for_each_entry(r, &process->registrations, all) {
		total->nregistrations++;
		total->nsites += r->nsites;
	}
}

static int process_show(struct seq_file *seq, void *v)
{
	const struct fasttrap_process *process = list_entry(v, struct fasttrap_process, all);
	const struct fasttrap_provider *provider;
	struct fasttrap_load total = {};
	unsigned int n = 0;

	if (v == &processes) {
		seq_puts(seq, "    PID   UID REGISTRATIONS  SITES HELPERS COMMAND          PROVIDERS\n");
		return 0;
	}
	if (list_empty(&process->registrations))
		return SEQ_SKIP;	/* it waits to be buried */
	process_total(process, &total);
	seq_printf(seq, "%7d %5u %13u %6u %7u ", process->pid,
		   from_kuid_munged(&init_user_ns, process->uid), total.nregistrations,
		   total.nsites, process->nhelpers);
	seq_setwidth(seq, TASK_COMM_LEN);
	seq_escape_str(seq, process->comm, ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_NP, " \\");
	seq_pad(seq, ' ');
	list_for_each_entry(provider, &process->providers, all) {
		if (n++ == SHOWN_PROVIDERS) {
			seq_puts(seq, " ...");
			break;
		}
		seq_printf(seq, " %s", provider->name);
	}
	seq_putc(seq, '\n');
	return 0;
}

const struct seq_operations fasttrap_processes_seq = {
	.start = process_start, .next = process_next, .stop = process_stop, .show = process_show,
};
