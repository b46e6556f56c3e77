// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * events.c - the processes that have registrations, and their forks, execs and exits, as
 * process/events.c reports them.
 *
 * The events come with preemption off in the middle of a fork or exit. So they are only noted,
 * under a raw spin lock and in memory that was allocated before, and leave the rest to a worker. A
 * child may hit an inherited breakpoint before the worker has run; the handler learns this from
 * fasttrap_events_fork. If there is no memory for a note, the fork is counted, and the handler
 * searches the parent by itself.
 *
 * An address space ends with the exec or exit of the process that registered.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "impl.h"
#include "permission.h"
#include "process/events.h"

#define EVENT_HASH_BITS 10
#define EVENT_HASH_SIZE (1 << EVENT_HASH_BITS)
#define FORKS_MAX	1024 /* forks that may be pending, */
#define FORKS_USER	512  /* of users that share a count; see fork_share */
#define FORK_SHARES	64
#define FORK_DELAY	(HZ / 100 ?: 1) /* jiffies; most children call exec soon */

static DEFINE_RAW_SPINLOCK(event_lock);
/* changed under the event lock, read under RCU too */
static struct hlist_head process_by_mm[EVENT_HASH_SIZE];
static struct hlist_head process_by_pid[EVENT_HASH_SIZE];
static struct hlist_head fork_by_mm[EVENT_HASH_SIZE]; /* this and all below: event lock */
static LIST_HEAD(forks_free);
static LIST_HEAD(forks_pending);
static LIST_HEAD(processes_dying);
static struct fasttrap_fork *forks;
/* event lock, read without: both 0 is the fast path of forks and exits */
static unsigned int nprocesses, nforks;
static unsigned int fork_shares[FORK_SHARES]; /* event lock; pending forks, by account */
static u64 work_runs;			      /* event lock; of the worker, begun */

/* The number of the last requested flush, and of the last completed one. */
static u64 flush_requested; /* event lock */
static u64 flush_done;	    /* the worker's, read by others */
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

void fasttrap_events_process_add(struct fasttrap_process *process)
{
	raw_spin_lock(&event_lock);
	WRITE_ONCE(process->state, FASTTRAP_PROCESS_LIVE);
	hlist_add_head_rcu(&process->by_mm, mm_head(process_by_mm, process->mm));
	hlist_add_head_rcu(&process->by_pid, pid_head(process->pid));
	WRITE_ONCE(nprocesses, nprocesses + 1);
	raw_spin_unlock(&event_lock);
}

void fasttrap_events_process_remove(struct fasttrap_process *process)
{
	raw_spin_lock(&event_lock);
	WRITE_ONCE(process->state, FASTTRAP_PROCESS_RETIRED);
	hlist_del_rcu(&process->by_mm);
	hlist_del_rcu(&process->by_pid);
	list_del_init(&process->dying);
	WRITE_ONCE(nprocesses, nprocesses - 1);
	raw_spin_unlock(&event_lock);
}

struct fasttrap_process *fasttrap_events_process(const struct mm_struct *mm)
{
	struct fasttrap_process *process;

	/* The registry lock, RCU or the event lock keeps the process from being freed. */
	hlist_for_each_entry_rcu(process, mm_head(process_by_mm, mm), by_mm, true)
		if (process->mm == mm)
			return process;
	return NULL;
}

/* ---- forks ---- */

static struct fasttrap_fork *fork_find(const struct mm_struct *mm) __must_hold(&event_lock)
{
	struct fasttrap_fork *fork;

	lockdep_assert_held(&event_lock);
	hlist_for_each_entry(fork, mm_head(fork_by_mm, mm), by_mm)
		if (fork->mm == mm)
			return fork;
	return NULL;
}

/*
 * Return the process whose registrations the address space has: its own, or while its fork is
 * pending, an ancestor.
 */
static struct fasttrap_process *fork_source(const struct mm_struct *mm) __must_hold(&event_lock)
{
	struct fasttrap_process *process = fasttrap_events_process(mm);
	struct fasttrap_fork *fork;

	lockdep_assert_held(&event_lock);
	if (process)
		return process;
	fork = fork_find(mm);
	return fork ? fork->source : NULL;
}

struct fasttrap_process *fasttrap_events_process_or_source(const struct mm_struct *mm)
{
	struct fasttrap_process *process = fasttrap_events_process(mm);

	if (process || !READ_ONCE(nforks) || !raw_spin_trylock(&event_lock))
		return process;
	process = fork_source(mm);
	raw_spin_unlock(&event_lock);
	return process;
}

/*
 * Return the count of the account's pending forks. It keeps one user's storm of forks from using up
 * the memory for all. Some users share a count.
 */
static unsigned int *fork_share(uint32_t account)
{
	return &fork_shares[hash_32(account, ilog2(FORK_SHARES))];
}

/* Note a fork whose parent has the registrations of source [event lock]. */
static void fork_note(struct fasttrap_process *source, struct task_struct *child)
	__must_hold(&event_lock)
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
	if (!fork || (!unlimited && *fork_share(account) >= FORKS_USER)) {
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
	++source->nforks;
	fork->gone = false;
	memcpy(fork->comm, child->comm, sizeof(fork->comm));
	list_move_tail(&fork->list, &forks_pending);
	hlist_add_head(&fork->by_mm, mm_head(fork_by_mm, fork->mm));
	WRITE_ONCE(nforks, nforks + 1);
}

void fasttrap_events_soon(void)
{
	queue_delayed_work(fasttrap_wq, &event_work, FORK_DELAY);
}

/* Start the worker; at once if half of the forks that one user may have are pending. */
static void fork_hurry(void)
{
	bool soon = READ_ONCE(nforks) > FORKS_USER / 2;

	if (soon)
		mod_delayed_work(fasttrap_wq, &event_work, 0);
	else
		fasttrap_events_soon();
}

/* Lockless fast path: return whether no process is registered. */
static bool event_nothing(void)
{
	return !READ_ONCE(nprocesses) && !READ_ONCE(nforks);
}

/* Note a fork. The child does not run yet, so its address space stays. */
static void event_fork(struct task_struct *parent, struct task_struct *child)
{
	struct fasttrap_process *source;

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

struct fasttrap_fork *fasttrap_events_fork(const struct mm_struct *mm)
{
	struct fasttrap_fork *fork;

	if (!READ_ONCE(nforks))
		return NULL;
	raw_spin_lock(&event_lock);
	fork = fork_find(mm);
	raw_spin_unlock(&event_lock);
	return fork;
}

struct fasttrap_fork *fasttrap_events_next_fork(void)
{
	struct fasttrap_fork *fork;

	raw_spin_lock(&event_lock);
	fork = list_first_entry_or_null(&forks_pending, struct fasttrap_fork, list);
	raw_spin_unlock(&event_lock);
	return fork;
}

struct fasttrap_fork *fasttrap_events_fork_of(const struct fasttrap_process *source)
{
	struct fasttrap_fork *fork, *found = NULL;

	raw_spin_lock(&event_lock);
	if (source->nforks)
		list_for_each_entry(fork, &forks_pending, list)
			if (fork->source == source) {
				found = fork;
				break;
			}
	raw_spin_unlock(&event_lock);
	return found;
}

bool fasttrap_events_lost(void)
{
	return atomic64_read(&fasttrap_counts.fork_overflows);
}

/* ---- deaths ---- */

/* LIVE to DYING, if it is LIVE [event lock]. Return true if it was. */
static bool event_die(struct fasttrap_process *process) __must_hold(&event_lock)
{
	lockdep_assert_held(&event_lock);
	if (process->state != FASTTRAP_PROCESS_LIVE)
		return false;
	WRITE_ONCE(process->state, FASTTRAP_PROCESS_DYING);
	process->died = work_runs;
	list_add_tail(&process->dying, &processes_dying);
	return true;
}

/*
 * Note that the process pid leaves all address spaces but mm [event lock]. Return true if there is
 * something for the worker.
 */
static bool event_leave(pid_t pid, const struct mm_struct *mm) __must_hold(&event_lock)
{
	struct fasttrap_process *process;
	struct fasttrap_fork *fork;
	bool any = false;

	lockdep_assert_held(&event_lock);
	hlist_for_each_entry(process, pid_head(pid), by_pid)
		if (process->pid == pid && process->mm != mm)
			any |= event_die(process);
	list_for_each_entry(fork, &forks_pending, list)
		if (fork->pid == pid && fork->mm != mm)
			fork->gone = true;
	return any;
}

/* Note that the process pid has left all address spaces but mm (NULL: all). */
static void process_left(pid_t pid, const struct mm_struct *mm)
{
	bool any;

	raw_spin_lock(&event_lock);
	any = event_leave(pid, mm);
	raw_spin_unlock(&event_lock);
	if (any)
		mod_delayed_work(fasttrap_wq, &event_work, 0);
}

/* A leader without memory has exited, but other threads of the process may still have it. */
void fasttrap_recheck(struct task_struct *task, const struct mm_struct *mm)
{
	const struct mm_struct *now = READ_ONCE(task->mm);

	if (now ? now != mm : !atomic_read(&task->signal->live))
		process_left(task->tgid, now);
}

static void event_exec(struct task_struct *task, const struct linux_binprm *bprm)
{
	if (!event_nothing())
		process_left(task->tgid, task->mm);
}

/*
 * Note the exit of a thread, after it has released its address space. The process ends with the
 * last thread.
 */
static void event_exit(struct task_struct *task)
{
	if (!event_nothing() && !atomic_read(&task->signal->live))
		process_left(task->tgid, NULL);
}

/*
 * If the child has exited or called exec while it got its copies, its process was not known yet,
 * and so is not DYING. By now the child may have another process, of the program that it has
 * executed.
 */
void fasttrap_events_fork_done(struct fasttrap_fork *fork)
{
	struct mm_struct *mm = fork->mm;
	struct fasttrap_process *process;
	bool any = false;

	raw_spin_lock(&event_lock);
	process = fork->gone ? fasttrap_events_process(mm) : NULL;
	if (process)
		any = event_die(process);
	if (!--fork->source->nforks && fork->source->state == FASTTRAP_PROCESS_DYING)
		any = true;
	hlist_del(&fork->by_mm);
	--*fork_share(fork->account);
	list_move(&fork->list, &forks_free);
	WRITE_ONCE(nforks, nforks - 1);
	raw_spin_unlock(&event_lock);
	if (any)
		mod_delayed_work(fasttrap_wq, &event_work, 0);
	mmdrop(mm);
}

struct fasttrap_process *fasttrap_events_next_dying(void)
{
	struct fasttrap_process *process, *found = NULL;

	raw_spin_lock(&event_lock);
	list_for_each_entry(process, &processes_dying, dying)
		if (!process->nforks || work_runs - process->died > FASTTRAP_DYING_RUNS) {
			found = process;
			break;
		}
	raw_spin_unlock(&event_lock);
	return found;
}

/* ---- the worker ---- */

/* Handle only what is pending at the start, so that waiting ends in a storm of forks. */
static void event_work_run(struct work_struct *work)
{
	u64 requested;

	raw_spin_lock(&event_lock);
	requested = flush_requested;
	work_runs++;
	raw_spin_unlock(&event_lock);
	fasttrap_fork_catch_up(READ_ONCE(nforks));
	if (READ_ONCE(nforks))
		fork_hurry();
	WRITE_ONCE(flush_done, requested);
	wake_up_all(&flush_wait);
}

static u64 flush_request(void)
{
	u64 number;

	raw_spin_lock(&event_lock);
	number = ++flush_requested;
	raw_spin_unlock(&event_lock);
	mod_delayed_work(fasttrap_wq, &event_work, 0);
	return number;
}

void fasttrap_events_flush(void)
{
	u64 number = flush_request();

	wait_event_idle(flush_wait, READ_ONCE(flush_done) >= number);
}

int fasttrap_events_flush_killable(void)
{
	u64 number = flush_request();

	return wait_event_killable(flush_wait, READ_ONCE(flush_done) >= number) ? -EINTR : 0;
}

static struct process_events events = {
	.fork = event_fork,
	.exec = event_exec,
	.exit = event_exit,
};

/* ---- start and end ---- */

int fasttrap_events_init(void)
{
	unsigned int i;
	int error;

	forks = kcalloc(FORKS_MAX, sizeof(*forks), GFP_KERNEL);
	if (!forks)
		return -ENOMEM;
	for (i = 0; i < FORKS_MAX; i++)
		list_add_tail(&forks[i].list, &forks_free);
	error = process_events_register(&events);
	if (error)
		kfree(forks);
	return error;
}

/* Drop the forks. The registry lock keeps a breakpoint's handler from using one meanwhile. */
static void fasttrap_events_drop_forks(void)
{
	struct fasttrap_fork *fork, *next;

	fasttrap_registry_lock();
	list_for_each_entry_safe(fork, next, &forks_pending, list)
		fasttrap_events_fork_done(fork);
	fasttrap_registry_unlock();
}

/* Dropping forks may find dead processes for the worker: it is called off last. */
void fasttrap_events_stop(void)
{
	process_events_unregister(&events);
	cancel_delayed_work_sync(&event_work);
	fasttrap_events_drop_forks();
	cancel_delayed_work_sync(&event_work);
}

void fasttrap_events_exit(void)
{
	kfree(forks);
}
