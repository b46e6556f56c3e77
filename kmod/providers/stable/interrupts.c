// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * interrupts.c - probes of the provider sdt that other systems have: interrupts, timers and queued
 * work. They are at tracepoints, of which the provider has probes with the kernel's own names as
 * well.
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <asm/trace/irq_vectors.h>
#include <trace/events/irq.h>
#include <trace/events/timer.h>
#include <trace/events/workqueue.h>

#include "stable.h"

/* ---- interrupts: of devices, which have an action, and of processors, which have none ---- */

static notrace void interrupt_start(void *data, int irq, struct irqaction *action)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)action, (uint64_t)irq);
}

static notrace void interrupt_complete(void *data, int irq, struct irqaction *action, int ret)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)action, (uint64_t)irq);
}

/* Fire at an interrupt from the processor's timer, from another processor, or from itself. */
static notrace void interrupt_own(void *data, int vector)
{
	stable_fire((const struct stable_trigger *)data, NULL, 0, (uint64_t)vector);
}

/* ---- timers ---- */

static notrace void callout_start(void *data, struct timer_list *timer, unsigned long clock)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)timer);
}

static notrace void callout_end(void *data, struct timer_list *timer)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)timer);
}

static notrace void cyclic_start(void *data, struct hrtimer *timer, ktime_t *now)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)timer);
}

static notrace void cyclic_end(void *data, struct hrtimer *timer)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)timer);
}

/* ---- work that threads of the kernel do for others ---- */

static notrace void taskq_enqueue(void *data, int cpu, struct pool_workqueue *queue,
				  struct work_struct *work)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)work);
}

static notrace void taskq_start(void *data, struct work_struct *work)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)work);
}

static notrace void taskq_end(void *data, struct work_struct *work, work_func_t function)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)work);
}

/* ---- tables ---- */

#define INTERRUPT_ARGS                           \
	{                                        \
		{"struct irqaction *", NULL, 0}, \
		{                                \
			"int", NULL, 1           \
		}                                \
	}
#define ONE_ARG(type)                 \
	{                             \
		{                     \
			type, NULL, 0 \
		}                     \
	}

static struct stable_probe interrupts_probes[] = {
	{"interrupt-start", INTERRUPT_ARGS},
	{"interrupt-complete", INTERRUPT_ARGS},
	{"callout-start", ONE_ARG("struct timer_list *")},
	{"callout-end", ONE_ARG("struct timer_list *")},
	{"cyclic-start", ONE_ARG("struct hrtimer *")},
	{"cyclic-end", ONE_ARG("struct hrtimer *")},
	{"taskq-enqueue", ONE_ARG("struct work_struct *")},
	{"taskq-exec-start", ONE_ARG("struct work_struct *")},
	{"taskq-exec-end", ONE_ARG("struct work_struct *")},
};

#define INTERRUPT_OWN(name)                                        \
	STABLE_TP("interrupt-start", name##_entry, interrupt_own), \
		STABLE_TP("interrupt-complete", name##_exit, interrupt_own)

static struct stable_trigger interrupts_triggers[] = {
	STABLE_TP("interrupt-start", irq_handler_entry, interrupt_start),
	STABLE_TP("interrupt-complete", irq_handler_exit, interrupt_complete),
	INTERRUPT_OWN(local_timer),
	INTERRUPT_OWN(reschedule),
	INTERRUPT_OWN(call_function),
	INTERRUPT_OWN(call_function_single),
	INTERRUPT_OWN(irq_work),
	INTERRUPT_OWN(error_apic),
	INTERRUPT_OWN(spurious_apic),
	INTERRUPT_OWN(x86_platform_ipi),
#ifdef CONFIG_X86_THERMAL_VECTOR
	INTERRUPT_OWN(thermal_apic),
#endif
#ifdef CONFIG_X86_MCE_THRESHOLD
	INTERRUPT_OWN(threshold_apic),
#endif
#ifdef CONFIG_X86_MCE_AMD
	INTERRUPT_OWN(deferred_error_apic),
#endif
	STABLE_TP("callout-start", timer_expire_entry, callout_start),
	STABLE_TP("callout-end", timer_expire_exit, callout_end),
	STABLE_TP("cyclic-start", hrtimer_expire_entry, cyclic_start),
	STABLE_TP("cyclic-end", hrtimer_expire_exit, cyclic_end),
	STABLE_TP("taskq-enqueue", workqueue_queue_work, taskq_enqueue),
	STABLE_TP("taskq-exec-start", workqueue_execute_start, taskq_start),
	STABLE_TP("taskq-exec-end", workqueue_execute_end, taskq_end),
};

struct stable_provider interrupts_provider = {
	.name = "sdt",
	.more = true,
	.probes = interrupts_probes,
	.nprobes = ARRAY_SIZE(interrupts_probes),
	.triggers = interrupts_triggers,
	.ntriggers = ARRAY_SIZE(interrupts_triggers),
};
