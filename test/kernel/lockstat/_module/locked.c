// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * locked.c - a kernel module with locks of all kinds, whose addresses are in its parameters. A
 * number n is written to a parameter. take: take each lock n times. contend: wait for each n times,
 * since a thread on the other processor of two holds it until there is a waiter. spins: wait for
 * the mutex n times by a thread that need not sleep. interrupt: end n waits for the mutex by a
 * signal.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rwlock.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

static DEFINE_MUTEX(locked_mutex);
static DEFINE_SPINLOCK(locked_spin);
static DECLARE_RWSEM(locked_rwsem);
static DEFINE_RWLOCK(locked_rwlock);

static unsigned long mutex = (unsigned long)&locked_mutex;
static unsigned long spin = (unsigned long)&locked_spin;
static unsigned long rwsem = (unsigned long)&locked_rwsem;
static unsigned long rwlock = (unsigned long)&locked_rwlock;
module_param(mutex, ulong, 0400);
module_param(spin, ulong, 0400);
module_param(rwsem, ulong, 0400);
module_param(rwlock, ulong, 0400);

/* Take each lock in each way once. */
static void locked_take_all(void)
{
	unsigned long flags;

	mutex_lock(&locked_mutex);
	mutex_unlock(&locked_mutex);
	if (!mutex_lock_interruptible(&locked_mutex)) {
		WARN_ON(mutex_trylock(&locked_mutex));
		mutex_unlock(&locked_mutex);
	}
	if (mutex_trylock(&locked_mutex))
		mutex_unlock(&locked_mutex);
	spin_lock(&locked_spin);
	WARN_ON(spin_trylock(&locked_spin));
	spin_unlock(&locked_spin);
	spin_lock_irqsave(&locked_spin, flags);
	spin_unlock_irqrestore(&locked_spin, flags);
	if (spin_trylock(&locked_spin))
		spin_unlock(&locked_spin);
	down_read(&locked_rwsem);
	WARN_ON(down_write_trylock(&locked_rwsem));
	up_read(&locked_rwsem);
	down_write(&locked_rwsem);
	downgrade_write(&locked_rwsem);
	up_read(&locked_rwsem);
	read_lock(&locked_rwlock);
	read_unlock(&locked_rwlock);
	write_lock_irq(&locked_rwlock);
	write_unlock_irq(&locked_rwlock);
}

static bool locked_waits; /* the waiter is about to take a spin lock */

static void locked_called(void *unused)
{
}

#define CALLS 2000 /* between two calls the other processor executes an instruction at least */

/* Hold a spin lock until the other processor must have found it held. */
static void locked_await_spinner(unsigned int cpu)
{
	unsigned int i;

	while (!READ_ONCE(locked_waits))
		cpu_relax();
	for (i = 0; i < CALLS; i++)
		smp_call_function_single(cpu, locked_called, NULL, 1);
}

struct locked_holder {
	void (*hold)(struct locked_holder *holder);
	unsigned int waiter; /* the processor that waits */
	struct completion holds;
};

static void locked_hold_mutex(struct locked_holder *holder)
{
	mutex_lock(&locked_mutex);
	complete(&holder->holds);
	/* the flag of a mutex with a sleeping waiter */
	while (!(atomic_long_read(&locked_mutex.owner) & 1))
		schedule_timeout_uninterruptible(1);
	mutex_unlock(&locked_mutex);
}

/* Hold the mutex until a thread spins for it, or sleeps. */
static void locked_hold_mutex_awake(struct locked_holder *holder)
{
	mutex_lock(&locked_mutex);
	complete(&holder->holds);
	while (!osq_is_locked(&locked_mutex.osq) && !(atomic_long_read(&locked_mutex.owner) & 1))
		cpu_relax();
	mutex_unlock(&locked_mutex);
}

static DECLARE_COMPLETION(locked_interrupted); /* the waiter has given up */

static void locked_hold_mutex_long(struct locked_holder *holder)
{
	mutex_lock(&locked_mutex);
	complete(&holder->holds);
	wait_for_completion(&locked_interrupted);
	mutex_unlock(&locked_mutex);
}

static void locked_hold_rwsem(struct locked_holder *holder)
{
	down_write(&locked_rwsem);
	complete(&holder->holds);
	while (!rwsem_is_contended(&locked_rwsem))
		schedule_timeout_uninterruptible(1);
	up_write(&locked_rwsem);
}

static void locked_hold_spin(struct locked_holder *holder)
{
	spin_lock(&locked_spin);
	complete(&holder->holds);
	locked_await_spinner(holder->waiter);
	spin_unlock(&locked_spin);
}

static void locked_hold_rwlock(struct locked_holder *holder)
{
	write_lock(&locked_rwlock);
	complete(&holder->holds);
	locked_await_spinner(holder->waiter);
	write_unlock(&locked_rwlock);
}

static int locked_hold(void *data)
{
	struct locked_holder *holder = data;

	holder->hold(holder);
	while (!kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	return 0;
}

/* Have a thread on processor 1 hold a lock, and take it on 0 by take. */
static int locked_wait(void (*hold)(struct locked_holder *), void (*take)(void))
{
	struct locked_holder holder = {.hold = hold, .waiter = 0};
	struct task_struct *thread;

	init_completion(&holder.holds);
	thread = kthread_create(locked_hold, &holder, "locked");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	get_task_struct(thread);
	kthread_bind(thread, 1);
	wake_up_process(thread);
	wait_for_completion(&holder.holds);
	take();
	kthread_stop(thread);
	put_task_struct(thread);
	return 0;
}

static void locked_take_mutex(void)
{
	mutex_lock(&locked_mutex);
	mutex_unlock(&locked_mutex);
}

/* Wait for the mutex with a signal pending, or with the flag of a pending signal. */
static void locked_take_mutex_interrupted(void)
{
	set_thread_flag(TIF_SIGPENDING);
	if (!mutex_lock_interruptible(&locked_mutex)) {
		WARN(1, "locked: a signal has not ended the wait");
		mutex_unlock(&locked_mutex);
	}
	recalc_sigpending();
	complete(&locked_interrupted);
}

static void locked_take_reader(void)
{
	down_read(&locked_rwsem);
	up_read(&locked_rwsem);
}

static void locked_take_writer(void)
{
	down_write(&locked_rwsem);
	up_write(&locked_rwsem);
}

static void locked_take_spin(void)
{
	WRITE_ONCE(locked_waits, true);
	spin_lock(&locked_spin);
	spin_unlock(&locked_spin);
	WRITE_ONCE(locked_waits, false);
}

static void locked_take_rwlock(void)
{
	WRITE_ONCE(locked_waits, true);
	read_lock(&locked_rwlock);
	read_unlock(&locked_rwlock);
	WRITE_ONCE(locked_waits, false);
}

static int locked_take(const char *text, const struct kernel_param *param)
{
	unsigned int n, i;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; !error && i < n; i++)
		locked_take_all();
	return error;
}

static int locked_contend(const char *text, const struct kernel_param *param)
{
	unsigned int n, i;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; !error && i < n; i++)
		error = locked_wait(locked_hold_mutex, locked_take_mutex) ?:
			locked_wait(locked_hold_rwsem, locked_take_reader) ?:
			locked_wait(locked_hold_rwsem, locked_take_writer) ?:
			locked_wait(locked_hold_spin, locked_take_spin) ?:
			locked_wait(locked_hold_rwlock, locked_take_rwlock);
	return error;
}

static int locked_spins(const char *text, const struct kernel_param *param)
{
	unsigned int n, i;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; !error && i < n; i++)
		error = locked_wait(locked_hold_mutex_awake, locked_take_mutex);
	return error;
}

static int locked_interrupt(const char *text, const struct kernel_param *param)
{
	unsigned int n, i;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; !error && i < n; i++)
		error = locked_wait(locked_hold_mutex_long, locked_take_mutex_interrupted);
	return error;
}

static const struct kernel_param_ops locked_take_ops = {.set = locked_take};
static const struct kernel_param_ops locked_contend_ops = {.set = locked_contend};
static const struct kernel_param_ops locked_spins_ops = {.set = locked_spins};
static const struct kernel_param_ops locked_interrupt_ops = {.set = locked_interrupt};

module_param_cb(take, &locked_take_ops, NULL, 0200);
module_param_cb(contend, &locked_contend_ops, NULL, 0200);
module_param_cb(spins, &locked_spins_ops, NULL, 0200);
module_param_cb(interrupt, &locked_interrupt_ops, NULL, 0200);

MODULE_DESCRIPTION("Locks to be traced");
MODULE_LICENSE("Dual MIT/GPL");
