// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * events.c - passes forks, execs and exits from the scheduler's tracepoints to subscribers.
 *
 * The tracepoints are hooked while there is a subscriber.
 */
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <trace/events/sched.h>

#include "events.h"
#include "hooks/tracepoint.h"

static DEFINE_MUTEX(events_mutex);
static LIST_HEAD(subscribers); /* events_mutex; read under RCU, with preemption off */

#define for_each_subscriber(s) list_for_each_entry_rcu(s, &subscribers, list)

static void event_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	const struct process_events *s;

	for_each_subscriber(s) if (s->fork) s->fork(parent, child);
}

static void event_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	const struct process_events *s;

	for_each_subscriber(s) if (s->exec) s->exec(task, bprm);
}

static void event_exit(void *data, struct task_struct *task)
{
	const struct process_events *s;

	for_each_subscriber(s) if (s->exit) s->exit(task);
}

static struct tracepoint_hook event_hooks[] = {
	{.name = "sched_process_fork", .handler = event_fork},
	{.name = "sched_process_exec", .handler = event_exec},
	{.name = "sched_process_exit", .handler = event_exit},
};

int process_events_register(struct process_events *events)
{
	int error = 0;

	check_trace_callback_type_sched_process_fork(event_fork);
	check_trace_callback_type_sched_process_exec(event_exec);
	check_trace_callback_type_sched_process_exit(event_exit);
	mutex_lock(&events_mutex);
	if (list_empty(&subscribers))
		error = tracepoint_hooks_register(event_hooks, ARRAY_SIZE(event_hooks));
	if (!error)
		list_add_tail_rcu(&events->list, &subscribers);
	mutex_unlock(&events_mutex);
	return error;
}

void process_events_unregister(struct process_events *events)
{
	mutex_lock(&events_mutex);
	list_del_rcu(&events->list);
	if (list_empty(&subscribers))
		tracepoint_hooks_unregister(event_hooks, ARRAY_SIZE(event_hooks));
	mutex_unlock(&events_mutex);
	synchronize_rcu();
}
