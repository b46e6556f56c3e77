// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fasttrap.c - probes in user programs: the entry points, and the engine's side of each provider.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "process/descendants.h"
#include "process/stop.h"
#include "impl.h"
#include "dev/permission.h"

struct fasttrap_counts fasttrap_counts;
struct workqueue_struct *fasttrap_wq, *fasttrap_readers;

/* ---- the registry's lock ---- */

static DEFINE_MUTEX(registry_mutex);
/* changed by the owner only; others see that it is not them */
static struct task_struct *registry_owner;

void registry_lock(void)
{
	mutex_lock(&registry_mutex);
	WRITE_ONCE(registry_owner, current);
}

int registry_lock_killable(void)
{
	int error = mutex_lock_killable(&registry_mutex);

	if (!error)
		WRITE_ONCE(registry_owner, current);
	return error;
}

void registry_unlock(void)
{
	lockdep_assert_registry();
	WRITE_ONCE(registry_owner, NULL);
	mutex_unlock(&registry_mutex);
}

bool registry_mine(void)
{
	return READ_ONCE(registry_owner) == current;
}

void lockdep_assert_registry(void)
{
	lockdep_assert_held(&registry_mutex);
}

/* ---- the engine's provider operations ---- */

/* [engine lock] */
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
	return error;
}

/* [engine lock] */
static void fasttrap_disable(void *arg, dtrace_probe_t *engine_probe, void *parg)
{
	struct fasttrap_probe *probe = parg;

	dtrace_engine_assert_locked();
	fasttrap_tracepoints_lock();
	probe->enabled = false;
	fasttrap_probe_detach(probe);
	fasttrap_tracepoints_unlock();
}

/* With the engine's lock around sync: those who asked for it wait in fasttrap_wait. */
static void fasttrap_sync(void *arg)
{
	fasttrap_uprobe_kick();
}

void fasttrap_wait(void)
{
	(void)fasttrap_uprobe_wait();
}

void fasttrap_wait_closing(void)
{
	fasttrap_uprobe_wait_closing();
}

/* [engine lock] It has no groups any more. */
static void fasttrap_destroy(void *arg, dtrace_probe_t *engine_probe, void *parg)
{
	dtrace_engine_assert_locked();
	probe_free(parg);
}

/* A process's number in a pid namespace (NULL: the first); 0: it has none there. */
static pid_t pid_in(pid_t pid, const void *pid_ns)
{
	pid_t number;

	if (!pid_ns || !pid)
		return pid;
	rcu_read_lock();
	number = pid_nr_ns(find_pid_ns(pid, &init_pid_ns), (struct pid_namespace *)pid_ns);
	rcu_read_unlock();
	return number;
}

/* The n-th process that a process comes from: its ancestors, then those whose descendants are followed. */
static pid_t process_forebear(const struct fasttrap_process *process, unsigned int n,
			      const void *pid_ns)
{
	unsigned int i;

	for (i = 0; i < FASTTRAP_ANCESTORS && process->ancestors[i]; i++)
		if (i == n)
			return pid_in(process->ancestors[i], pid_ns);
	return descendants_root(process->pid, n - i, (struct pid_namespace *)pid_ns);
}

/*
 * [engine lock] Names as the processes' own providers have, or had. What belongs to no process has
 * one name.
 */
static bool fasttrap_name_in_ns(void *arg, const void *pid_ns, unsigned int n,
			    char name[DTRACE_PROVNAMELEN])
{
	const struct fasttrap_provider *provider = arg;
	const struct fasttrap_process *process = provider->process;
	pid_t pid;

	if (!process->mm) {
		strscpy(name, provider->name, DTRACE_PROVNAMELEN);
		return !n;
	}
	pid = n ? process_forebear(process, n - 1, pid_ns) : pid_in(process->pid, pid_ns);
	if (pid)
		snprintf(name, DTRACE_PROVNAMELEN, "%.*s%d", (int)provider->base, provider->name,
			 pid);
	return pid;
}

/* [RCU] A thread of the process that has not executed another program meanwhile, or NULL. */
static struct task_struct *process_thread(const struct fasttrap_process *process)
{
	struct task_struct *leader = pid_task(find_pid_ns(process->pid, &init_pid_ns), PIDTYPE_TGID),
			   *thread;

	if (!leader)
		return NULL;
	for_each_thread(leader, thread)
		if (READ_ONCE(thread->mm) == process->mm)
			return thread;
	return NULL;
}

/* [engine lock] By what the process is now. What belongs to no process is root's. */
static bool fasttrap_owned_by(void *arg, const struct dtrace_cred *cred)
{
	const struct fasttrap_provider *provider = arg;
	const struct fasttrap_process *process = provider->process;
	const struct task_struct *thread;
	bool owned;

	dtrace_engine_assert_locked();
	if (!process->mm)
		return false;
	rcu_read_lock();
	thread = process_thread(process);
	owned = thread && permission_owns(cred->who, __task_cred(thread), process->mm);
	rcu_read_unlock();
	return owned;
}

static bool fasttrap_module_alias(void *arg, dtrace_probe_t *engine_probe, void *parg,
				   const char *name)
{
	const struct fasttrap_probe *probe = parg;

	return probe->program && !strcmp(name, "a.out");
}

const dtrace_provider_ops_t fasttrap_ops = {
	.enable = fasttrap_enable,
	.disable = fasttrap_disable,
	.sync = fasttrap_sync,
	.name_in_ns = fasttrap_name_in_ns,
	.owned_by = fasttrap_owned_by,
	.module_alias = fasttrap_module_alias,
	.getargdesc = fasttrap_getargdesc,
	.getargval = fasttrap_getargval,
	.destroy = fasttrap_destroy,
};

/* ---- registration ---- */

/* [registry] */
static int register_locked(const struct fasttrap_target *target,
			   struct fasttrap_registration *registration, char *errmsg, size_t len)
{
	struct fasttrap_process *process = process_get(target);
	int error;

	if (!process) {
		registration_free(registration);
		return -ENOMEM;
	}
	error = registration_enter(registration, process, target, errmsg, len);
	if (error) {
		events_soon();
		return error;
	}
	registration_match(registration);
	return registration->gen;
}

/*
 * What the target has mapped may change between the look at it and the registry, as it may at any
 * time afterwards: uprobes look for themselves. Its address space is the caller's to hold, and
 * whether it is still the target's is for fasttrap_recheck.
 */
static int register_once(const struct fasttrap_target *target, const char *mod,
			 struct fasttrap_dof *dof, char *errmsg, size_t len)
{
	struct fasttrap_registration *registration =
		registration_prepare(target, mod, dof, errmsg, len);
	int gen;

	if (IS_ERR(registration))
		return PTR_ERR(registration);
	if (registry_lock_killable()) {
		registration_free(registration);
		return -EINTR;
	}
	gen = register_locked(target, registration, errmsg, len);
	registry_unlock();
	return gen;
}

int fasttrap_register(const struct fasttrap_target *target, const char *mod,
		      struct dtrace_helper_dof *helper, char *errmsg, size_t len)
{
	struct fasttrap_dof *dof = fasttrap_dof_create(
		helper, target->owner ? target->owner->account : target->account, errmsg, len);
	int gen;

	if (IS_ERR(dof))
		return PTR_ERR(dof);
	gen = register_once(target, mod, dof, errmsg, len);
	if (gen == -EEXIST) {
		/*
		 * The process called exec, or has the pid of one that ended, and that is not yet
		 * cleared away.
		 */
		gen = events_flush_killable() ?: register_once(target, mod, dof, errmsg, len);
	}
	fasttrap_dof_put(dof);
	if (burial_crowded())	/* one that fails leaves something behind too */
		(void)events_flush_killable();
	if (gen < 0)
		return gen;
	atomic64_inc(&fasttrap_counts.registrations);
	(void)fasttrap_uprobe_wait();	/* if somebody waited for its probes: from the first hit on */
	return gen;
}

void fasttrap_note_refusal(void)
{
	atomic64_inc(&fasttrap_counts.refused);
}

static struct fasttrap_registration *registration_find(const struct fasttrap_process *process,
						       const struct fasttrap_owner *owner, int gen)
{
	struct fasttrap_registration *registration;

	lockdep_assert_registry();
	list_for_each_entry(registration, &process->registrations, all)
		if (registration->gen == gen && registration->owner == owner)
			return registration;
	return NULL;
}

void fasttrap_recheck(struct task_struct *task, const struct mm_struct *mm)
{
	const struct mm_struct *now = READ_ONCE(task->mm);

	/* A leader without memory has exited, and may leave threads behind that have it. */
	if (now ? now != mm : !atomic_read(&task->signal->live))
		events_left(task->tgid, now);
}

static int remove_locked(struct mm_struct *mm, const struct fasttrap_owner *owner, int gen)
{
	struct fasttrap_process *process = mm ? process_find(mm) : process_everybody();
	struct fasttrap_registration *registration =
		process ? registration_find(process, owner, gen) : NULL;

	if (!registration)
		return -ENOENT;
	registration_remove(registration);
	events_soon();
	return 0;
}

int fasttrap_remove(struct mm_struct *mm, const struct fasttrap_owner *owner, int gen)
{
	int error = registry_lock_killable();

	if (error)
		return error;
	error = remove_locked(mm, owner, gen);
	registry_unlock();
	if (!error) {
		atomic64_inc(&fasttrap_counts.removals);
		error = fasttrap_uprobe_wait();
		if (burial_crowded())
			error = events_flush_killable();
	}
	return error;
}

int fasttrap_count(struct mm_struct *mm, uint32_t *registrations, uint32_t *sites)
{
	const struct fasttrap_process *process;
	int error = events_flush_killable() ?: registry_lock_killable();

	if (error)
		return error;
	process = events_process(mm);
	*registrations = process ? process->load.nregistrations : 0;
	*sites = process ? process->load.nsites : 0;
	registry_unlock();
	return 0;
}

void fasttrap_catch_up(void)
{
	(void)events_flush_killable();
}

/* ---- /proc/dtrace/stats ---- */

void fasttrap_stats_show(struct seq_file *seq)
{
	static const struct {
		const char *name;
		atomic64_t *count;
		const char *meaning;
	} rows[] = {
		{ "registrations", &fasttrap_counts.registrations, "helper DOF taken" },
		{ "removals", &fasttrap_counts.removals, "helper DOF removed by its process" },
		{ "refused", &fasttrap_counts.refused, "helper DOF refused: see helper_errors" },
		{"forks", &fasttrap_counts.forks,
		 "fork children that got their parent's registrations"},
		{"fork-overflows", &fasttrap_counts.fork_overflows,
		 "forks missed for want of room"},
		{"fork-refusals", &fasttrap_counts.fork_refusals,
		 "fork children without all of them, for want of room: see helper_errors"},
		{"adopted-by-hit", &fasttrap_counts.adopted_by_hit,
		 "fork children whose first hit came before that"},
		{"buried", &fasttrap_counts.buried,
		 "processes that exited, called exec or removed all"},
		{"applied", &fasttrap_counts.applied, "tracepoints whose breakpoints were set or changed"},
		{"apply-errors", &fasttrap_counts.apply_errors,
		 "tracepoints that could not be: see fasttrap"},
		{"late-closes", &fasttrap_counts.late_closes,
		 "sessions that ended before their breakpoints: uprobes stood still"},
		{ "stray-hits", &fasttrap_counts.stray_hits, "hits in processes that nobody traces" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		seq_printf(seq, "%-16s %12lld  %s\n", rows[i].name,
			   (long long)atomic64_read(rows[i].count), rows[i].meaning);
	stop_stats_show(seq);
}

/* ---- start and end ---- */

int fasttrap_init(void)
{
	int error = -ENOMEM;

	stop_init();
	fasttrap_wq = alloc_workqueue("dtrace", WQ_UNBOUND, 0);
	if (!fasttrap_wq)
		return error;
	fasttrap_readers = alloc_workqueue("dtrace_read", WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (!fasttrap_readers)
		goto no_readers;
	error = fasttrap_tracepoints_init();
	if (error)
		goto no_tracepoints;
	error = events_init();
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
 * Processes go after the events that make new ones, tracepoints after the processes that want
 * them, and what their handlers look at when no handler runs any more. A process that a handler has
 * adopted meanwhile is nobody's work but ours.
 */
void fasttrap_exit(void)
{
	events_stop();
	burial_run(true);
	fasttrap_uprobe_exit();
	destroy_workqueue(fasttrap_readers);	/* stop points may end late */
	burial_run(true);
	stop_exit();
	events_exit();
	fasttrap_tracepoints_exit();
	destroy_workqueue(fasttrap_wq);
	rcu_barrier();	/* what was freed by RCU is ours */
}
