// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* fasttrap.c - probes in user programs: the registry lock, and the beginning and end. */
#include <linux/cred.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/slab.h>

#include "impl.h"
#include "permission.h"
#include "port.h"
#include "providers/provider.h"

struct fasttrap_counts fasttrap_counts;
struct workqueue_struct *fasttrap_wq, *fasttrap_readers;

/* ---- the registry lock ---- */

#define REGISTRY_TURNS 64

static DEFINE_MUTEX(registry_mutex);
/* written by the owner only; other threads see that it is not them */
static struct task_struct *registry_owner;
/*
 * Only one thread of a user waits for the registry lock, behind one of these mutexes: a user with a
 * thousand threads does not have others wait a thousand times. Some users share one.
 */
static struct mutex registry_turns[REGISTRY_TURNS];
static siphash_key_t registry_secret __read_mostly;
static struct mutex *registry_turn; /* that the owner holds; NULL: none */
static void *registry_uncharged;    /* the owner's: the result of port_uncharged_begin() */

static void registry_init(void)
{
	unsigned int i;

	get_random_bytes(&registry_secret, sizeof(registry_secret));
	for (i = 0; i < REGISTRY_TURNS; i++)
		mutex_init(&registry_turns[i]);
}

/* Note that the current thread has the lock. Nobody is charged for memory under it. */
static void registry_own(void)
{
	WRITE_ONCE(registry_owner, current);
	registry_uncharged = port_uncharged_begin();
}

void fasttrap_registry_lock(void)
{
	mutex_lock(&registry_mutex);
	registry_own();
}

int fasttrap_registry_lock_killable(void)
{
	uint32_t account = permission_account(current_cred());
	struct mutex *turn =
		&registry_turns[siphash_1u32(account, &registry_secret) % REGISTRY_TURNS];
	int error = mutex_lock_killable(turn);

	if (error)
		return error;
	error = mutex_lock_killable(&registry_mutex);
	if (error) {
		mutex_unlock(turn);
		return error;
	}
	registry_own();
	registry_turn = turn;
	return 0;
}

void fasttrap_registry_unlock(void)
{
	struct mutex *turn = registry_turn;

	fasttrap_registry_assert_locked();
	WRITE_ONCE(registry_owner, NULL);
	port_uncharged_end(registry_uncharged);
	registry_turn = NULL;
	mutex_unlock(&registry_mutex);
	if (turn)
		mutex_unlock(turn);
}

void fasttrap_registry_pause(void)
{
	fasttrap_registry_unlock();
	cond_resched();
	fasttrap_registry_lock();
}

bool fasttrap_registry_is_mine(void)
{
	return READ_ONCE(registry_owner) == current;
}

void fasttrap_registry_assert_locked(void)
{
	lockdep_assert_held(&registry_mutex);
}

/* ---- what the module waits for ---- */

/*
 * Wait until all breakpoints are as the current process has enabled and disabled probes, or until
 * it is being killed.
 */
static void fasttrap_sync_wait(void)
{
	(void)fasttrap_uprobe_wait();
}

/* Wait until all forks, execs and exits so far are handled, or the caller is being killed. */
static void fasttrap_catch_up(void)
{
	(void)fasttrap_events_flush_killable();
}

/* ---- begin and end ---- */

static int fasttrap_init(void)
{
	int error = -ENOMEM;

	registry_init();
	fasttrap_wq = alloc_workqueue("dtrace", WQ_UNBOUND, 0);
	if (!fasttrap_wq)
		return error;
	fasttrap_readers = alloc_workqueue("dtrace_read", WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (!fasttrap_readers)
		goto no_readers;
	error = fasttrap_tracepoints_init();
	if (error)
		goto no_tracepoints;
	error = fasttrap_events_init();
	if (error)
		goto no_events;
	return 0;

no_events:
	fasttrap_tracepoints_exit();
no_tracepoints:
	destroy_workqueue(fasttrap_readers);
no_readers:
	destroy_workqueue(fasttrap_wq);
	return error;
}

/*
 * First stop the events that create processes, then retire the processes, then the tracepoints, and
 * last free what handlers read. A handler may have copied registrations to a fork child meanwhile,
 * so retire once more.
 */
static void fasttrap_exit(void)
{
	fasttrap_events_stop();
	fasttrap_retire_run(true);
	fasttrap_uprobe_exit();
	destroy_workqueue(fasttrap_readers);
	fasttrap_retire_run(true);
	fasttrap_events_exit();
	fasttrap_tracepoints_exit();
	destroy_workqueue(fasttrap_wq);
	rcu_barrier(); /* for kfree_rcu */
}

static const struct provider_file fasttrap_files[] = {
	{.name = "processes", .seq = &fasttrap_processes_seq},
	{.name = "fasttrap", .seq = &fasttrap_tracepoints_seq},
	{.name = "helper_errors", .show = fasttrap_errors_show},
	{},
};

static struct miscdevice *const fasttrap_devices[] = {
	&fasttrap_device,
	&fasttrap_helper_device,
	NULL,
};

const struct provider_module fasttrap_module = {
	.name = "fasttrap",
	.init = fasttrap_init,
	.exit = fasttrap_exit,
	.sync_wait = fasttrap_sync_wait,
	.sync_wait_closing = fasttrap_uprobe_wait_closing,
	.catch_up = fasttrap_catch_up,
	.helpers = fasttrap_helpers,
	.stats = fasttrap_stats_show,
	.files = fasttrap_files,
	.devices = fasttrap_devices,
};
