// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * events.c - which processes have registrations, and their forks, execs and exits, as the
 * scheduler's tracepoints tell them.
 *
 * Tracepoints run with preemption off in the middle of a fork or exit: they only take a note,
 * under a raw spin lock and in memory that was there before, and leave the rest to a worker. A
 * child may hit an inherited breakpoint before the worker has run; events_fork says so to the
 * handler. When there is no room for a note, the fork is counted, and the handler finds the parent
 * by itself.
 *
 * The end of an address space is known from the exec or exit of the process that registered.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <trace/events/sched.h>

#include "descendants.h"
#include "hooks/tracepoint.h"
#include "stop.h"
#include "providers/fasttrap/impl.h"
#include "dev/permission.h"

#define EVENT_HASH_BITS	10
#define EVENT_HASH_SIZE	(1 << EVENT_HASH_BITS)
#define FORKS_MAX	1024	/* forks that may wait, */
#define FORKS_OWN	512	/* of users who share a place here; see fork_share */
#define FORK_SHARES	64
#define FORK_DELAY	(HZ / 100 ?: 1)	/* most children call exec soon: give them time */

static DEFINE_RAW_SPINLOCK(event_lock);
/* changed under the event lock, read under RCU too */
static struct hlist_head process_by_mm[EVENT_HASH_SIZE];
static struct hlist_head process_by_pid[EVENT_HASH_SIZE];
static struct hlist_head fork_by_mm[EVENT_HASH_SIZE];	/* this and all below: event lock */
static LIST_HEAD(forks_free);
static LIST_HEAD(forks_waiting);
static LIST_HEAD(processes_dying);
static struct fasttrap_fork *forks;
/* read without the lock, to have nothing to do quickly */
static unsigned int nprocesses, nforks;
static unsigned int fork_shares[FORK_SHARES];	/* event lock; forks that wait, by the account */

/* Who waits for the worker: the number of the last request, and up to which all is done. */
static u64 flush_asked;			/* event lock */
static u64 flush_done;			/* the worker's, read by others */
static DECLARE_WAIT_QUEUE_HEAD(flush_wait);

static void event_work_run(struct work_struct *work);
static DECLARE_DELAYED_WORK(event_work, event_work_run);

static struct hlist_head *mm_head(struct hlist_head *table, const struct mm_struct *mm)
{
	return &table[hash_ptr(mm, EVENT_HASH_BITS)];
}

static struct hlist_head *pid_head(pid_t pid)
{
	return &process_by_pid[hash_32(pid, EVENT_HASH_BITS)];
}

/* ---- the table of processes ---- */

void events_process_add(struct fasttrap_process *process)
{
	WRITE_ONCE(process->ready, true);
	raw_spin_lock(&event_lock);
	hlist_add_head_rcu(&process->by_mm, mm_head(process_by_mm, process->mm));
	hlist_add_head_rcu(&process->by_pid, pid_head(process->pid));
	WRITE_ONCE(nprocesses, nprocesses + 1);
	raw_spin_unlock(&event_lock);
}

void events_process_del(struct fasttrap_process *process)
{
	raw_spin_lock(&event_lock);
	hlist_del_rcu(&process->by_mm);
	hlist_del_rcu(&process->by_pid);
	list_del_init(&process->dying);
	WRITE_ONCE(nprocesses, nprocesses - 1);
	raw_spin_unlock(&event_lock);
}

struct fasttrap_process *events_process(const struct mm_struct *mm)
{
	struct fasttrap_process *process;

	/* The registry, RCU or the event lock: each keeps what is found from going away. */
	hlist_for_each_entry_rcu(process, mm_head(process_by_mm, mm), by_mm, true)
		if (process->mm == mm)
			return process;
	return NULL;
}

/* ---- forks ---- */

static struct fasttrap_fork *fork_find(const struct mm_struct *mm)
{
	struct fasttrap_fork *fork;

	lockdep_assert_held(&event_lock);
	hlist_for_each_entry(fork, mm_head(fork_by_mm, mm), by_mm)
		if (fork->mm == mm)
			return fork;
	return NULL;
}

/*
 * Whose registrations the address space has: its own process, or while it waits to be adopted, an
 * ancestor.
 */
static struct fasttrap_process *fork_source(const struct mm_struct *mm)
{
	struct fasttrap_process *process = events_process(mm);
	struct fasttrap_fork *fork;

	lockdep_assert_held(&event_lock);
	if (process)
		return process;
	fork = fork_find(mm);
	return fork ? fork->source : NULL;
}

struct fasttrap_process *events_process_now(const struct mm_struct *mm)
{
	struct fasttrap_process *process = events_process(mm);

	if (process || !READ_ONCE(nforks) || !raw_spin_trylock(&event_lock))
		return process;
	process = fork_source(mm);
	raw_spin_unlock(&event_lock);
	return process;
}

/*
 * The count of the account's forks that wait, so that one user's storm of forks leaves room for those of others.
 * Some users share a count.
 */
static unsigned int *fork_share(uint32_t account)
{
	return &fork_shares[hash_32(account, ilog2(FORK_SHARES))];
}

/* [event lock] */
static void fork_note(struct fasttrap_process *source, struct task_struct *child)
{
	struct fasttrap_fork *fork =
		list_first_entry_or_null(&forks_free, struct fasttrap_fork, list);
	uint32_t account;
	bool unlimited;

	lockdep_assert_held(&event_lock);
	rcu_read_lock();
	account = permission_account(__task_cred(child));
	unlimited = permission_unlimited_by(__task_cred(child));
	rcu_read_unlock();
	if (!fork || (!unlimited && *fork_share(account) >= FORKS_OWN)) {
		atomic64_inc(&fasttrap_counts.fork_overflows);
		return;
	}
	++*fork_share(account);
	mmgrab(child->mm);
	fork->mm = child->mm;
	fork->pid = child->tgid;
	fork->account = account;
	fork->unlimited = unlimited;
	fork->source = source;
	fork->gone = false;
	memcpy(fork->comm, child->comm, sizeof(fork->comm));
	list_move_tail(&fork->list, &forks_waiting);
	hlist_add_head(&fork->by_mm, mm_head(fork_by_mm, fork->mm));
	WRITE_ONCE(nforks, nforks + 1);
}

void events_soon(void)
{
	queue_delayed_work(fasttrap_wq, &event_work, FORK_DELAY);
}

/* Half of what one user may take is taken: do not wait for execs. */
static void fork_hurry(void)
{
	bool soon = READ_ONCE(nforks) > FORKS_OWN / 2;

	if (soon)
		mod_delayed_work(fasttrap_wq, &event_work, 0);
	else
		events_soon();
}

static bool event_nothing(void)
{
	return !READ_ONCE(nprocesses) && !READ_ONCE(nforks);
}

/* The child does not run yet, so its address space stays. */
static void event_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct fasttrap_process *source;

	descendants_note_fork(parent, child);
	if (event_nothing() || !child->mm || !parent->mm || child->mm == parent->mm)
		return;
	raw_spin_lock(&event_lock);
	source = fork_source(parent->mm);
	if (source)
		fork_note(source, child);
	raw_spin_unlock(&event_lock);
	if (source)
		fork_hurry();
}

struct fasttrap_fork *events_fork(const struct mm_struct *mm)
{
	struct fasttrap_fork *fork;

	if (!READ_ONCE(nforks))
		return NULL;
	raw_spin_lock(&event_lock);
	fork = fork_find(mm);
	raw_spin_unlock(&event_lock);
	return fork;
}

struct fasttrap_fork *events_next(void)
{
	struct fasttrap_fork *fork;

	raw_spin_lock(&event_lock);
	fork = list_first_entry_or_null(&forks_waiting, struct fasttrap_fork, list);
	raw_spin_unlock(&event_lock);
	return fork;
}

struct fasttrap_fork *events_fork_of(const struct fasttrap_process *source)
{
	struct fasttrap_fork *fork, *found = NULL;

	raw_spin_lock(&event_lock);
	list_for_each_entry(fork, &forks_waiting, list)
		if (fork->source == source) {
			found = fork;
			break;
		}
	raw_spin_unlock(&event_lock);
	return found;
}

bool events_lost(void)
{
	return atomic64_read(&fasttrap_counts.fork_overflows);
}

/* ---- deaths ---- */

/*
 * [event lock] The process pid leaves all address spaces but mm. True if that is something for the
 * worker.
 */
static bool event_leave(pid_t pid, const struct mm_struct *mm)
{
	struct fasttrap_process *process;
	struct fasttrap_fork *fork;
	bool any = false;

	lockdep_assert_held(&event_lock);
	hlist_for_each_entry(process, pid_head(pid), by_pid)
		if (process->pid == pid && process->mm != mm && list_empty(&process->dying)) {
			list_add_tail(&process->dying, &processes_dying);
			any = true;
		}
	list_for_each_entry(fork, &forks_waiting, list)
		if (fork->pid == pid && fork->mm != mm)
			fork->gone = true;
	return any;
}

void events_left(pid_t pid, const struct mm_struct *mm)
{
	bool any;

	raw_spin_lock(&event_lock);
	any = event_leave(pid, mm);
	raw_spin_unlock(&event_lock);
	if (any)
		mod_delayed_work(fasttrap_wq, &event_work, 0);
}

static void event_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	if (!event_nothing())
		events_left(task->tgid, task->mm);
	stop_point_note_exec(bprm);
}

/*
 * Each thread comes here, after it has let go of its address space. The process ends with the last
 * one.
 */
static void event_exit(void *data, struct task_struct *task)
{
	descendants_note_exit(task);
	if (!event_nothing() && !atomic_read(&task->signal->live))
		events_left(task->tgid, NULL);
}

/* [event lock] True if that is something for the worker. */
static bool event_die(const struct mm_struct *mm)
{
	struct fasttrap_process *process = events_process(mm);

	lockdep_assert_held(&event_lock);
	if (!process || !list_empty(&process->dying))
		return false;
	list_add_tail(&process->dying, &processes_dying);
	return true;
}

/*
 * If the child has gone while it was being adopted, its process was not known yet to be noted as
 * dying. By now it may have another, with what it has executed.
 */
void events_fork_done(struct fasttrap_fork *fork)
{
	struct mm_struct *mm = fork->mm;
	bool any;

	raw_spin_lock(&event_lock);
	any = fork->gone && event_die(mm);
	hlist_del(&fork->by_mm);
	--*fork_share(fork->account);
	list_move(&fork->list, &forks_free);
	WRITE_ONCE(nforks, nforks - 1);
	raw_spin_unlock(&event_lock);
	if (any)
		mod_delayed_work(fasttrap_wq, &event_work, 0);
	mmdrop(mm);
}

struct fasttrap_process *events_next_dead(void)
{
	struct fasttrap_process *process;

	raw_spin_lock(&event_lock);
	process = list_first_entry_or_null(&processes_dying, struct fasttrap_process, dying);
	raw_spin_unlock(&event_lock);
	return process;
}

/* ---- the worker ---- */

/* What comes while it runs is for its next run, so that a storm of forks ends for those who wait. */
static void event_work_run(struct work_struct *work)
{
	u64 asked;

	raw_spin_lock(&event_lock);
	asked = flush_asked;
	raw_spin_unlock(&event_lock);
	process_catch_up(READ_ONCE(nforks));
	if (READ_ONCE(nforks))
		fork_hurry();
	WRITE_ONCE(flush_done, asked);
	wake_up_all(&flush_wait);
}

static u64 flush_ask(void)
{
	u64 number;

	raw_spin_lock(&event_lock);
	number = ++flush_asked;
	raw_spin_unlock(&event_lock);
	mod_delayed_work(fasttrap_wq, &event_work, 0);
	return number;
}

void events_flush(void)
{
	u64 number = flush_ask();

	wait_event_idle(flush_wait, READ_ONCE(flush_done) >= number);
}

int events_flush_killable(void)
{
	u64 number = flush_ask();

	return wait_event_killable(flush_wait, READ_ONCE(flush_done) >= number) ? -EINTR : 0;
}

/* ---- tracepoints ---- */

static struct tracepoint_hook event_hooks[] = {
	{.name = "sched_process_fork", .handler = event_fork},
	{.name = "sched_process_exec", .handler = event_exec},
	{.name = "sched_process_exit", .handler = event_exit},
};

static int event_hooks_register(void)
{
	check_trace_callback_type_sched_process_fork(event_fork);
	check_trace_callback_type_sched_process_exec(event_exec);
	check_trace_callback_type_sched_process_exit(event_exit);
	return tracepoint_hooks_register(event_hooks, ARRAY_SIZE(event_hooks));
}

/* ---- start and end ---- */

int events_init(void)
{
	unsigned int i;
	int error;

	forks = kcalloc(FORKS_MAX, sizeof(*forks), GFP_KERNEL);
	if (!forks)
		return -ENOMEM;
	for (i = 0; i < FORKS_MAX; i++)
		list_add_tail(&forks[i].list, &forks_free);
	error = event_hooks_register();
	if (error)
		kfree(forks);
	return error;
}

/* With the registry: a breakpoint's handler may just be adopting one of them. */
static void events_drop_forks(void)
{
	struct fasttrap_fork *fork, *next;

	registry_lock();
	list_for_each_entry_safe(fork, next, &forks_waiting, list)
		events_fork_done(fork);
	registry_unlock();
}

/* Dropping forks may find dead processes for the worker: it is called off last. */
void events_stop(void)
{
	tracepoint_hooks_unregister(event_hooks, ARRAY_SIZE(event_hooks));
	cancel_delayed_work_sync(&event_work);
	events_drop_forks();
	cancel_delayed_work_sync(&event_work);
}

void events_exit(void)
{
	kfree(forks);
}
