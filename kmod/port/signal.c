// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * signal.c - destructive actions of programs: signals to the current process, and the debugger of
 * the kernel.
 *
 * Sending a signal takes siglock, and a log takes locks of its own, which the interrupted code may
 * hold. An irq_work does both, as soon as interrupts are on again. It is not a "hard" irq_work, so
 * on PREEMPT_RT it may take sleeping locks.
 */
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kgdb.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "signal.h"
#include "target.h"
#include "thread.h"

/* ---- signals ---- */

#define SIGNALS_PER_CPU 16 /* signals that may wait for interrupts to come on */

struct signals {
	struct irq_work work;
	unsigned int n;
	struct {
		struct pid *pid;
		int sig;
	} queue[SIGNALS_PER_CPU];
};

/* The signals that wait. Only their CPU uses them, with interrupts off. */
static DEFINE_PER_CPU(struct signals, signals);

/* Take the last signal that waits on this CPU. Return false if there is none. */
static bool signals_take(struct signals *s, struct pid **pid, int *sig)
{
	unsigned long flags;
	bool any;

	local_irq_save(flags);
	any = s->n > 0;
	if (any) {
		s->n--;
		*pid = s->queue[s->n].pid;
		*sig = s->queue[s->n].sig;
	}
	local_irq_restore(flags);
	return any;
}

/* Send the signals that wait on this CPU. */
static void signals_send(struct irq_work *work)
{
	struct signals *s = container_of(work, struct signals, work);
	struct pid *pid;
	int sig;

	while (signals_take(s, &pid, &sig)) {
		kill_pid(pid, sig, 1);
		put_pid(pid);
	}
}

int target_raise(unsigned int sig)
{
	struct signals *s = this_cpu_ptr(&signals);

	if (!thread_is_user() || is_global_init(current))
		return -EPERM;
	if (!valid_signal(sig) || !sig)
		return -EINVAL;
	if (s->n == SIGNALS_PER_CPU)
		return -EAGAIN;
	s->queue[s->n].pid = get_pid(task_tgid(current));
	s->queue[s->n].sig = sig;
	s->n++;
	irq_work_queue(&s->work);
	return 0;
}

int target_stop(void)
{
	return target_raise(SIGSTOP);
}

/* ---- other destructive actions ---- */

/* Log that a breakpoint had no effect. */
static void breakpoint_log(struct irq_work *work)
{
	pr_warn_ratelimited("dtrace: breakpoint() did nothing: no kernel debugger is connected\n");
}

static DEFINE_IRQ_WORK(breakpoint_work, breakpoint_log);

/* Without a debugger, a breakpoint would be fatal. */
void target_breakpoint(void)
{
#ifdef CONFIG_KGDB
	if (kgdb_connected) {
		kgdb_breakpoint();
		return;
	}
#endif
	irq_work_queue(&breakpoint_work);
}

/* ---- start and end ---- */

void signal_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		init_irq_work(&per_cpu(signals, cpu).work, signals_send);
}

void signal_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(signals, cpu).work);
	irq_work_sync(&breakpoint_work);
}
