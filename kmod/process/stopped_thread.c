// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stopped_thread.c - stop the current thread on its way to user mode.
 *
 * The scheduler's tracepoint of exec and a breakpoint's handler may not sleep. They take one of the
 * tracer's elements, which are allocated before, and request task work. The thread runs that work
 * when it is about to return to user mode, where it may sleep.
 *
 * The thread uses the element until it goes on, and the tracer until it has read it; then it is
 * free again. Task work cannot be cancelled, and a thread under a debugger may run it late. So the
 * thread has a reference to the tracer and to the module, and closing the device does not wait for
 * threads.
 *
 * stop_impl.h has the states and the locks.
 */
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uprobes.h>

#include <asm/trapnr.h>

#include "compat/task_work.h"
#include "stop_impl.h"
#include "arch/x86/args.h"

#define STOPPED_MAX 128 /* threads that a tracer can stop at a time */
/*
 * Threads of one process that all tracers together can stop. A thread that stops at a breakpoint
 * occupies one of the 32 entries of the XOL area, in which uprobes single-steps instructions of the
 * process, and other threads would wait for one.
 */
#define STOPPED_PROCESS_MAX  24 /* for tracers that may stop all users' processes */
#define STOPPED_PROCESS_USER 16 /* for other tracers */

static DEFINE_RAW_SPINLOCK(stopped_lock);
static DEFINE_HASHTABLE(stopped_by_process, 8); /* stopped_lock */

static compat_task_work_add_f *task_work_add_func;
static bool task_work_used; /* stopped_thread_exit must wait */

/* ---- elements and their states ---- */

int stopped_thread_alloc(struct stop_tracer *tracer) __must_hold(&tracer->mutex)
{
	struct stopped_thread *pool;
	unsigned int i;

	lockdep_assert_held(&tracer->mutex);
	if (tracer->pool)
		return 0;
	if (stop_tracer_charge(tracer, STOPPED_MAX * sizeof(*pool)))
		return -EDQUOT;
	pool = kvcalloc(STOPPED_MAX, sizeof(*pool), GFP_KERNEL_ACCOUNT);
	if (!pool) {
		stop_tracer_uncharge(tracer, STOPPED_MAX * sizeof(*pool));
		return -ENOMEM;
	}
	for (i = 0; i < STOPPED_MAX; i++)
		list_add_tail(&pool[i].list, &tracer->free);
	tracer->pool = pool;
	return 0;
}

void stopped_thread_free_all(struct stop_tracer *tracer)
{
	if (!tracer->pool)
		return;
	stop_tracer_uncharge(tracer, STOPPED_MAX * sizeof(*tracer->pool));
	kvfree(tracer->pool);
}

/*
 * FREE to COMING: take an element for current. Return NULL if the stop point has ended, or if there
 * are too many, which is counted.
 */
static struct stopped_thread *stopped_thread_take(const struct stop_point *point)
{
	struct stop_tracer *tracer = point->tracer;
	const unsigned int max = point->all_users ? STOPPED_PROCESS_MAX : STOPPED_PROCESS_USER;
	struct pid *process = task_tgid(current);
	struct stopped_thread *thread;
	const struct stopped_thread *other;
	unsigned long flags;
	unsigned int n = 0;

	raw_spin_lock_irqsave(&tracer->lock, flags);
	/* A handler may be so late that the threads of its stop point have been let go. */
	if (READ_ONCE(point->ended)) {
		raw_spin_unlock_irqrestore(&tracer->lock, flags);
		return NULL;
	}
	thread = list_first_entry_or_null(&tracer->free, struct stopped_thread, list);
	if (!thread)
		goto out;
	raw_spin_lock(&stopped_lock);
	hash_for_each_possible(stopped_by_process, other, by_process, (unsigned long)process)
		n += other->pid == process;
	if (n < max) {
		thread->pid = get_pid(process);
		hash_add(stopped_by_process, &thread->by_process, (unsigned long)process);
	}
	raw_spin_unlock(&stopped_lock);
	if (n >= max) {
		thread = NULL;
		goto out;
	}
	thread->tracer = tracer;
	thread->tid = get_pid(task_pid(current));
	thread->point = point->number;
	thread->timeout = point->timeout;
	thread->rewind = thread->killed = thread->unread = false;
	thread->state = STOPPED_THREAD_COMING;
	list_move_tail(&thread->list, &tracer->coming);
out:
	raw_spin_unlock_irqrestore(&tracer->lock, flags);
	if (!thread)
		stop_tracer_note_missed(tracer);
	return thread;
}

/* COMING to STOPPED, unless it is RELEASED already. The tracer gets to read it in either state. */
static void stopped_thread_announce(struct stopped_thread *thread)
{
	struct stop_tracer *tracer = thread->tracer;
	unsigned long flags;

	raw_spin_lock_irqsave(&tracer->lock, flags);
	if (thread->state == STOPPED_THREAD_COMING)
		WRITE_ONCE(thread->state, STOPPED_THREAD_STOPPED);
	thread->unread = true;
	list_move_tail(&thread->list, &tracer->news);
	raw_spin_unlock_irqrestore(&tracer->lock, flags);
}

bool stopped_thread_release(struct stopped_thread *thread, bool rewind)
	__must_hold(&thread->tracer->lock)
{
	lockdep_assert_held(&thread->tracer->lock);
	if (thread->state != STOPPED_THREAD_COMING && thread->state != STOPPED_THREAD_STOPPED)
		return false;
	WRITE_ONCE(thread->rewind, rewind);
	smp_store_release(&thread->state, STOPPED_THREAD_RELEASED);
	return true;
}

/* Any state to GONE: current goes on. */
static void stopped_thread_leave(struct stopped_thread *thread)
{
	struct stop_tracer *tracer = thread->tracer;
	struct pid *pid = NULL, *tid = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&tracer->lock, flags);
	raw_spin_lock(&stopped_lock);
	hash_del(&thread->by_process);
	raw_spin_unlock(&stopped_lock);
	WRITE_ONCE(thread->state, STOPPED_THREAD_GONE);
	thread->killed = fatal_signal_pending(current) || current->flags & PF_EXITING;
	stopped_thread_put(thread, &pid, &tid);
	raw_spin_unlock_irqrestore(&tracer->lock, flags);
	put_pid(pid);
	put_pid(tid);
}

/* GONE to FREE, once the tracer has read it. */
bool stopped_thread_put(struct stopped_thread *thread, struct pid **pid, struct pid **tid)
	__must_hold(&thread->tracer->lock)
{
	lockdep_assert_held(&thread->tracer->lock);
	if (thread->state != STOPPED_THREAD_GONE || thread->unread)
		return false;
	*pid = thread->pid;
	*tid = thread->tid;
	thread->state = STOPPED_THREAD_FREE;
	list_move(&thread->list, &thread->tracer->free);
	return true;
}

/* ---- the thread itself ---- */

static bool stopped_thread_is_released(const struct stopped_thread *thread)
{
	return smp_load_acquire(&thread->state) == STOPPED_THREAD_RELEASED;
}

/* Sleep until the thread may go on. Return false if its time has passed. */
static bool stopped_thread_wait(struct stopped_thread *thread)
{
	DEFINE_WAIT(wait);
	long left = thread->timeout;

	while (left && !fatal_signal_pending(current)) {
		prepare_to_wait(&thread->tracer->threads, &wait, TASK_KILLABLE | TASK_FREEZABLE);
		if (stopped_thread_is_released(thread))
			break;
		left = schedule_timeout(left);
	}
	finish_wait(&thread->tracer->threads, &wait);
	return left;
}

/*
 * Move current back to its stop point, so that it hits breakpoints that were set since.
 *
 * In the first case, uprobes is about to single-step the instruction. It abandons the step, as
 * after a trap, when it next defers a signal; so pretend that there was a trap and a signal. This
 * holds whether the work runs before signals or between them, since uprobes leaves its state alone.
 *
 * In the second case, uprobes or a tracepoint's handler has emulated the instruction, which is
 * executed again. Only registers and memory beyond the top of the stack can have changed. Task work
 * runs first, so no signal and no debugger has come to the thread meanwhile.
 */
static void stopped_thread_rewind(const struct stopped_thread *thread)
{
	struct uprobe_task *utask = current->utask;

	if (utask && utask->active_uprobe) {
		current->thread.trap_nr = X86_TRAP_BP;
		set_thread_flag(TIF_SIGPENDING);
	} else {
		*task_pt_regs(current) = thread->regs;
	}
}

/*
 * Run as task work, on the way to user mode or of an exit. stop_exit waits for the rest of this
 * function after module_put.
 */
static void stopped_thread_run(struct callback_head *work)
{
	struct stopped_thread *thread = container_of(work, struct stopped_thread, work);
	struct stop_tracer *tracer = thread->tracer;

	if (!(current->flags & PF_EXITING) && !stopped_thread_is_released(thread)) {
		stopped_thread_announce(thread);
		wake_up_all(&tracer->readers);
		atomic64_inc(&stop_counts.stopped);
		if (!stopped_thread_wait(thread))
			atomic64_inc(&stop_counts.timeouts);
	}
	if (thread->at_address && READ_ONCE(thread->rewind))
		stopped_thread_rewind(thread);
	stopped_thread_leave(thread);
	stop_tracer_put(tracer);
	module_put(THIS_MODULE);
}

void stopped_thread_stop_current(const struct stop_point *point, const struct pt_regs *regs)
{
	struct stopped_thread *thread = stopped_thread_take(point);
	struct stop_tracer *tracer = point->tracer;

	if (!thread)
		return;
	/* The element is current's own until it is announced. */
	thread->at_address = regs;
	if (regs)
		thread->regs = *regs;
	thread->arg0 = regs ? args_call_arg(regs, 0) : 0;
	/* The module may be about to go, if the tracer has given up waiting for this handler. */
	if (task_work_add_func && try_module_get(THIS_MODULE)) {
		WRITE_ONCE(task_work_used, true);
		stop_tracer_get(tracer);
		init_task_work(&thread->work, stopped_thread_run);
		if (!task_work_add_func(current, &thread->work, TWA_RESUME))
			return;
		stop_tracer_put(tracer); /* not the last: the stop point has one */
		module_put(THIS_MODULE);
	}
	/* It cannot stop: tell the tracer at least. */
	stopped_thread_announce(thread);
	stopped_thread_leave(thread);
	if (!READ_ONCE(point->ended)) /* or nobody waits for the work any more */
		schedule_work(&tracer->announce);
}

/* ---- begin and end ---- */

void stopped_thread_init(void)
{
	task_work_add_func = compat_task_work_find();
}

/*
 * Each thread has put the module before this is called, but may have been preempted just after
 * that.
 */
void stopped_thread_exit(void)
{
	if (task_work_used)
		synchronize_rcu_tasks();
}
