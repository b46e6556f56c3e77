// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fasttrap.c - probes in user programs: the registry lock, the operations for the engine, and the
 * beginning and end.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/siphash.h>
#include <linux/slab.h>

#include "arch/x86/args.h"
#include "process/descendants.h"
#include "dev.h"
#include "impl.h"
#include "permission.h"
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

static void registry_init(void)
{
	unsigned int i;

	get_random_bytes(&registry_secret, sizeof(registry_secret));
	for (i = 0; i < REGISTRY_TURNS; i++)
		mutex_init(&registry_turns[i]);
}

void fasttrap_registry_lock(void)
{
	mutex_lock(&registry_mutex);
	WRITE_ONCE(registry_owner, current);
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
	WRITE_ONCE(registry_owner, current);
	registry_turn = turn;
	return 0;
}

void fasttrap_registry_unlock(void)
{
	struct mutex *turn = registry_turn;

	fasttrap_registry_assert_locked();
	WRITE_ONCE(registry_owner, NULL);
	registry_turn = NULL;
	mutex_unlock(&registry_mutex);
	if (turn)
		mutex_unlock(turn);
}

bool fasttrap_registry_is_mine(void)
{
	return READ_ONCE(registry_owner) == current;
}

void fasttrap_registry_assert_locked(void)
{
	lockdep_assert_held(&registry_mutex);
}

/*
 * ---- operations for the engine; with the engine lock where nothing else is said ----
 *
 * There is no operation sync: a program that starts would wait for the sync lock while a session
 * patches the kernel's text. Breakpoints are the work of uprobe.c's worker, for which requests wait
 * in fasttrap_sync_wait.
 */

static int fasttrap_enable(void *arg, dtrace_probe_t *engine_probe, void *parg)
{
	struct fasttrap_probe *probe = parg;
	int error;

	dtrace_engine_assert_locked();
	fasttrap_tracepoints_lock();
	error = fasttrap_probe_attach(probe);
	probe->enabled = !error;
	probe->error = error;
	fasttrap_tracepoints_unlock();
	fasttrap_uprobe_kick();
	return error;
}

static void fasttrap_disable(void *arg, dtrace_probe_t *engine_probe, void *parg)
{
	struct fasttrap_probe *probe = parg;

	dtrace_engine_assert_locked();
	fasttrap_tracepoints_lock();
	probe->enabled = false;
	fasttrap_probe_detach(probe);
	fasttrap_tracepoints_unlock();
	fasttrap_uprobe_kick();
}

/*
 * Wait until all breakpoints are as the current process has enabled and disabled probes, or until
 * it is being killed.
 */
static void fasttrap_sync_wait(void)
{
	(void)fasttrap_uprobe_wait();
}

/* Free a probe, which has no groups any more. */
static void fasttrap_destroy(void *arg, dtrace_probe_t *engine_probe, void *parg)
{
	dtrace_engine_assert_locked();
	fasttrap_probe_free(parg);
}

/* Return a process's number in a PID namespace (NULL: the first); 0: it has none there. */
static pid_t pid_in_ns(pid_t pid, const void *pid_ns)
{
	pid_t number;

	if (!pid_ns || !pid)
		return pid;
	rcu_read_lock();
	number = pid_nr_ns(find_pid_ns(pid, &init_pid_ns), (struct pid_namespace *)pid_ns);
	rcu_read_unlock();
	return number;
}

/*
 * Name 0 has the number of the process itself. Then come those of its ancestors that had the
 * registrations, and of processes whose descendants are followed. A system-wide provider has one
 * name. Any context, as engine.h says: nothing that is read here changes after the provider is
 * registered, and descendants.c has its own lock.
 */
static bool fasttrap_name_in_ns(void *arg, const void *pid_ns, unsigned int n,
				char name[DTRACE_PROVNAMELEN])
{
	const struct fasttrap_provider *provider = arg;
	const struct fasttrap_process *process = provider->process;
	unsigned int generations = 0;
	pid_t pid;

	if (!process->mm) {
		strscpy(name, provider->name, DTRACE_PROVNAMELEN);
		return !n;
	}
	while (generations < FASTTRAP_ANCESTORS && process->ancestors[generations])
		generations++;
	if (!n)
		pid = pid_in_ns(process->pid, pid_ns);
	else if (n <= generations)
		pid = pid_in_ns(process->ancestors[n - 1], pid_ns);
	else
		pid = descendants_root(process->pid, n - 1 - generations,
				       (struct pid_namespace *)pid_ns);
	if (pid)
		snprintf(name, DTRACE_PROVNAMELEN, "%.*s%d", (int)provider->base, provider->name,
			 pid);
	return pid;
}

/*
 * Ask a thread of the process that has not executed another program meanwhile, by its credentials
 * now. System-wide providers are root's.
 */
static bool fasttrap_owned_by(void *arg, const struct dtrace_cred *cred)
{
	const struct fasttrap_provider *provider = arg;
	const struct fasttrap_process *process = provider->process;
	struct task_struct *leader, *thread;
	bool owned = false;

	dtrace_engine_assert_locked();
	if (!process->mm)
		return false;
	rcu_read_lock();
	leader = pid_task(find_pid_ns(process->pid, &init_pid_ns), PIDTYPE_TGID);
	if (leader)
		for_each_thread(leader, thread)
			if (READ_ONCE(thread->mm) == process->mm) {
				owned = permission_owns(cred->who, __task_cred(thread),
							process->mm);
				break;
			}
	rcu_read_unlock();
	return owned;
}

static bool fasttrap_module_alias(void *arg, dtrace_probe_t *engine_probe, void *parg,
				  const char *name)
{
	const struct fasttrap_probe *probe = parg;

	return probe->program && !strcmp(name, "a.out");
}

/*
 * Describe args[n] [engine lock]. Without a declaration there are as many arguments as a site gives,
 * and their types are empty.
 */
static bool fasttrap_getarg(void *arg, dtrace_probe_t *engine_probe, void *parg, unsigned int n,
			    struct dtrace_arg *out)
{
	const struct fasttrap_probe *probe = parg;

	dtrace_engine_assert_locked();
	return dtrace_helper_getarg(probe->desc, n, out);
}

/*
 * Return an argument where the site, fire->cookie, says that it is. Probe context: interrupts are
 * off, and memory that is not resident reads as 0.
 */
static uint64_t fasttrap_getargval(void *arg, dtrace_probe_t *engine_probe, void *parg,
				   const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	const struct fasttrap_probe *probe = parg;
	const struct fasttrap_site *site = fire->cookie;

	return args_value(probe->desc, site->desc, site->group->kind == FASTTRAP_ENTRY, fire->regs,
			  argno);
}

const dtrace_provider_ops_t fasttrap_ops = {
	.enable = fasttrap_enable,
	.disable = fasttrap_disable,
	.name_in_ns = fasttrap_name_in_ns,
	.owned_by = fasttrap_owned_by,
	.module_alias = fasttrap_module_alias,
	.getarg = fasttrap_getarg,
	.getargval = fasttrap_getargval,
	.destroy = fasttrap_destroy,
};

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
