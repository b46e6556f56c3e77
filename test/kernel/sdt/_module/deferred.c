// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * deferred.c - a kernel module that defers work. A number written to its parameter timers is how
 * often a timer of jiffies expires, to hrtimers one of nanoseconds; to works how often work is
 * queued; to interrupts how often this processor interrupts itself. The writer waits for each.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

static DECLARE_COMPLETION(deferred_done);

static noinline void deferred_timer_ends(struct timer_list *timer)
{
	complete(&deferred_done);
}

static noinline enum hrtimer_restart deferred_hrtimer_ends(struct hrtimer *timer)
{
	complete(&deferred_done);
	return HRTIMER_NORESTART;
}

static noinline void deferred_work_runs(struct work_struct *work)
{
}

static noinline void deferred_interrupted(struct irq_work *work)
{
}

static DEFINE_TIMER(deferred_timer, deferred_timer_ends);
static DECLARE_WORK(deferred_work, deferred_work_runs);
static struct irq_work deferred_irq_work = IRQ_WORK_INIT_HARD(deferred_interrupted);
static struct hrtimer deferred_hrtimer;

/* ---- each once ---- */

static void deferred_do_timer(void)
{
	mod_timer(&deferred_timer, jiffies);
	wait_for_completion(&deferred_done);
}

static void deferred_do_hrtimer(void)
{
	hrtimer_start(&deferred_hrtimer, ns_to_ktime(1000), HRTIMER_MODE_REL_HARD);
	wait_for_completion(&deferred_done);
}

static void deferred_do_work(void)
{
	schedule_work(&deferred_work);
	flush_work(&deferred_work);
}

static void deferred_do_interrupt(void)
{
	irq_work_queue(&deferred_irq_work);
	irq_work_sync(&deferred_irq_work);
}

/* ---- parameters ---- */

static int deferred_times(const char *text, const struct kernel_param *param)
{
	void (*once)(void) = param->arg;
	unsigned int n, i;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; !error && i < n; i++)
		once();
	return error;
}

static const struct kernel_param_ops deferred_ops = {.set = deferred_times};

module_param_cb(timers, &deferred_ops, deferred_do_timer, 0200);
module_param_cb(hrtimers, &deferred_ops, deferred_do_hrtimer, 0200);
module_param_cb(works, &deferred_ops, deferred_do_work, 0200);
module_param_cb(interrupts, &deferred_ops, deferred_do_interrupt, 0200);

static int __init deferred_init(void)
{
	hrtimer_init(&deferred_hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	deferred_hrtimer.function = deferred_hrtimer_ends;
	return 0;
}

static void __exit deferred_exit(void)
{
	del_timer_sync(&deferred_timer);
	hrtimer_cancel(&deferred_hrtimer);
}

module_init(deferred_init);
module_exit(deferred_exit);
MODULE_DESCRIPTION("work that is done later for tests of DTrace");
MODULE_LICENSE("Dual MIT/GPL");
