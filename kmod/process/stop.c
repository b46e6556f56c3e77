// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stop.c - the requests of a tracer: read which threads have stopped, and let them go on.
 *
 * tracer->lock, a raw spin lock, protects the tracer's threads, tracer->mutex its stop points.
 */
#include <linux/fs.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "engine.h"
#include "descendants.h"
#include "events.h"
#include "mapping.h"
#include "stats.h"
#include "stop_impl.h"

struct stop_counts stop_counts;
struct workqueue_struct *stop_wq;

/* ---- let threads go on ---- */

/*
 * Let the threads of a stop point that has ended go on; 0: those of all stop points. Return how
 * many threads were stopped, or on their way to be.
 */
static int stop_tracer_release_point(struct stop_tracer *tracer, unsigned int number)
{
	struct list_head *lists[] = {&tracer->coming, &tracer->news, &tracer->known};
	struct stopped_thread *thread;
	unsigned long flags;
	unsigned int i;
	int n = 0;

	raw_spin_lock_irqsave(&tracer->lock, flags);
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		list_for_each_entry(thread, lists[i], list)
			if (!number || thread->point == number)
				n += stopped_thread_release(thread, true);
	raw_spin_unlock_irqrestore(&tracer->lock, flags);
	wake_up_all(&tracer->threads);
	return n;
}

int stop_tracer_remove_point(struct stop_tracer *tracer, int number)
{
	struct stop_point *point, *next;
	LIST_HEAD(ending);

	if (mutex_lock_killable(&tracer->mutex))
		return -EINTR;
	list_for_each_entry_safe(point, next, &tracer->points, all)
		if (point->number == number) {
			list_move(&point->all, &ending);
			break;
		}
	if (list_empty(&ending)) {
		mutex_unlock(&tracer->mutex);
		return -ENOENT;
	}
	stop_point_destroy(&ending);
	mutex_unlock(&tracer->mutex);
	return stop_tracer_release_point(tracer, number);
}

int stop_tracer_release(struct stop_tracer *tracer, int tid)
{
	struct stopped_thread *thread;
	unsigned long flags;
	int error = -ESRCH;

	raw_spin_lock_irqsave(&tracer->lock, flags);
	list_for_each_entry(thread, &tracer->known, list)
		if (pid_vnr(thread->tid) == tid && stopped_thread_release(thread, false))
			error = 0;
	raw_spin_unlock_irqrestore(&tracer->lock, flags);
	if (!error)
		wake_up_all(&tracer->threads);
	return error;
}

/* ---- read which threads have stopped ---- */

/* Take the element that is to be read next. Return false if there is none. */
static bool stop_tracer_take_news(struct stop_tracer *tracer, dtrace_stopped_t *stopped)
{
	struct pid *pid = NULL, *tid = NULL;
	struct stopped_thread *thread;
	unsigned long flags;

	raw_spin_lock_irqsave(&tracer->lock, flags);
	thread = list_first_entry_or_null(&tracer->news, struct stopped_thread, list);
	if (thread) {
		*stopped = (dtrace_stopped_t){
			.dtfd_pid = pid_vnr(thread->pid),
			.dtfd_tid = pid_vnr(thread->tid),
			.dtfd_point = thread->point,
			.dtfd_missed = tracer->missed,
			.dtfd_arg0 = thread->arg0,
		};
		if (thread->state != STOPPED_THREAD_GONE)
			stopped->dtfd_flags = DTRACE_STOP_STOPPED;
		else if (thread->killed)
			stopped->dtfd_flags = DTRACE_STOP_KILLED;
		tracer->missed = 0;
		thread->unread = false;
		if (!stopped_thread_put(thread, &pid, &tid))
			list_move_tail(&thread->list, &tracer->known);
	}
	raw_spin_unlock_irqrestore(&tracer->lock, flags);
	put_pid(pid);
	put_pid(tid);
	return thread;
}

static bool stop_tracer_has_news(struct stop_tracer *tracer)
{
	unsigned long flags;
	bool any;

	raw_spin_lock_irqsave(&tracer->lock, flags);
	any = !list_empty(&tracer->news);
	raw_spin_unlock_irqrestore(&tracer->lock, flags);
	return any;
}

ssize_t stop_tracer_read(struct stop_tracer *tracer, char __user *to, size_t size, bool block)
{
	dtrace_stopped_t stopped;
	size_t done = 0;

	if (size < sizeof(stopped))
		return -EINVAL;
	do {
		if (block &&
		    wait_event_interruptible(tracer->readers, stop_tracer_has_news(tracer)))
			return -ERESTARTSYS;
		while (size - done >= sizeof(stopped) && stop_tracer_take_news(tracer, &stopped)) {
			if (copy_to_user(to + done, &stopped, sizeof(stopped)))
				return done ?: -EFAULT;
			done += sizeof(stopped);
		}
	} while (block && !done);
	return done ?: -EAGAIN;
}

__poll_t stop_tracer_poll(struct stop_tracer *tracer, struct file *file, poll_table *wait)
{
	poll_wait(file, &tracer->readers, wait);
	return stop_tracer_has_news(tracer) ? EPOLLIN | EPOLLRDNORM : 0;
}

static void stop_tracer_announce(struct work_struct *work)
{
	wake_up_all(&container_of(work, struct stop_tracer, announce)->readers);
}

void stop_tracer_note_missed(struct stop_tracer *tracer)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tracer->lock, flags);
	tracer->missed++;
	raw_spin_unlock_irqrestore(&tracer->lock, flags);
	atomic64_inc(&stop_counts.missed);
}

/* ---- tracers ---- */

int stop_tracer_charge(struct stop_tracer *tracer, size_t bytes)
{
	return dtrace_account_charge(tracer->account, DTRACE_RES_BYTES, bytes, NULL, 0);
}

void stop_tracer_uncharge(struct stop_tracer *tracer, size_t bytes)
{
	dtrace_account_uncharge(tracer->account, DTRACE_RES_BYTES, bytes);
}

struct stop_tracer *stop_tracer_create(struct dtrace_account *account)
{
	struct stop_tracer *tracer = kzalloc(sizeof(*tracer), GFP_KERNEL_ACCOUNT);

	if (!tracer)
		return NULL;
	tracer->account = account;
	if (stop_tracer_charge(tracer, sizeof(*tracer)))
		goto no_charge;
	tracer->queue = stop_queue_get(account);
	if (!tracer->queue)
		goto no_queue;
	dtrace_account_ref(account);
	kref_init(&tracer->ref);
	mutex_init(&tracer->mutex);
	raw_spin_lock_init(&tracer->lock);
	INIT_LIST_HEAD(&tracer->points);
	INIT_LIST_HEAD(&tracer->execs);
	INIT_LIST_HEAD(&tracer->free);
	INIT_LIST_HEAD(&tracer->coming);
	INIT_LIST_HEAD(&tracer->news);
	INIT_LIST_HEAD(&tracer->known);
	init_waitqueue_head(&tracer->threads);
	init_waitqueue_head(&tracer->readers);
	INIT_WORK(&tracer->announce, stop_tracer_announce);
	tracer->ns = get_pid_ns(task_active_pid_ns(current));
	return tracer;

no_queue:
	stop_tracer_uncharge(tracer, sizeof(*tracer));
no_charge:
	kfree(tracer);
	return NULL;
}

static void stop_tracer_free(struct kref *ref)
{
	struct stop_tracer *tracer = container_of(ref, struct stop_tracer, ref);

	put_pid_ns(tracer->ns);
	stopped_thread_free_all(tracer);
	stop_queue_put(tracer->queue);
	stop_tracer_uncharge(tracer, sizeof(*tracer));
	dtrace_account_put(tracer->account);
	kfree(tracer);
}

void stop_tracer_get(struct stop_tracer *tracer)
{
	kref_get(&tracer->ref);
}

void stop_tracer_put(struct stop_tracer *tracer)
{
	kref_put(&tracer->ref, stop_tracer_free);
}

void stop_tracer_destroy(struct stop_tracer *tracer)
{
	dtrace_stopped_t unread;

	stop_point_destroy(&tracer->points);
	stop_tracer_release_point(tracer, 0);
	while (stop_tracer_take_news(tracer, &unread))
		;
	cancel_work_sync(&tracer->announce);
	stop_tracer_put(tracer);
}

/* ---- /proc/dtrace/stats ---- */

void stop_stats_show(struct seq_file *seq)
{
	static const struct {
		const char *name;
		const atomic64_t *count;
		const char *meaning;
	} rows[] = {
		{"stopped", &stop_counts.stopped, "threads that were stopped for a tracer"},
		{"stop-timeouts", &stop_counts.timeouts, "of them, not released in time"},
		{"stop-missed", &stop_counts.missed,
		 "threads not stopped, processes not followed: too many"},
		{"stop-late", &stop_counts.late,
		 "stop points that ended before their breakpoints: uprobes was stuck"},
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		stats_row(seq, rows[i].name, atomic64_read(rows[i].count), rows[i].meaning);
}

/* ---- begin and end ---- */

static struct process_events stop_events = {
	.fork = descendants_note_fork,
	.exec = stop_point_note_exec,
	.exit = descendants_note_exit,
};

int stop_init(void)
{
	int error;

	stopped_thread_init();
	stop_wq = alloc_workqueue("dtrace_stop", WQ_UNBOUND, WQ_MAX_ACTIVE); /* a user takes one */
	if (!stop_wq)
		return -ENOMEM;
	error = process_events_register(&stop_events);
	if (error)
		destroy_workqueue(stop_wq);
	return error;
}

void stop_exit(void)
{
	process_events_unregister(&stop_events);
	mapping_end();
	stop_queues_flush();
	destroy_workqueue(stop_wq); /* waits for stop points that end late */
	stopped_thread_exit();
}
