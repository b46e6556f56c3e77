// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sched.c - the sched provider: threads get processors, give them up, wait and are woken.
 *
 * Most of these probes fire with the lock of a run queue held and interrupts off.
 */
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/sched/rt.h>
#include <trace/events/sched.h>
#include <uapi/linux/sched/types.h>

#include "stable.h"
#include "target.h"

/* ---- switches ---- */

static notrace void sched_off_cpu(void *data, bool preempt, struct task_struct *prev,
				  struct task_struct *next, unsigned int prev_state)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)next);
}

/* Fire at finish_task_switch(): the task that a switch has chosen goes on. */
static notrace void sched_on_cpu(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs);
}

/*
 * Fire at the switches that the kernel counts as the thread's voluntary ones. A thread that ends
 * waits for nothing.
 */
static notrace void sched_sleep(void *data, bool preempt, struct task_struct *prev,
				struct task_struct *next, unsigned int prev_state)
{
	if (!preempt && prev_state && !(prev_state & TASK_DEAD))
		stable_fire((const struct stable_trigger *)data, NULL);
}

/*
 * Fire at the switches that the kernel counts as involuntary. The idle thread always yields to
 * others.
 */
static notrace void sched_preempt(void *data, bool preempt, struct task_struct *prev,
				  struct task_struct *next, unsigned int prev_state)
{
	if ((preempt || !prev_state) && !is_idle_task(prev))
		stable_fire((const struct stable_trigger *)data, NULL);
}

/*
 * Fire at the return of pick_next_task_CLASS(rq, ...), which the scheduler calls in the thread that
 * has the processor, if it has chosen the same thread.
 */
static notrace void sched_remain_cpu(const struct stable_trigger *t, struct pt_regs *regs,
				     unsigned long rq)
{
	if (regs->ax == (uintptr_t)current)
		stable_fire(t, regs);
}

/* Fire at do_sched_yield(), which the kernel's own yield() calls too. */
static notrace void sched_surrender(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, (uintptr_t)current);
}

/* ---- run queues ---- */

static notrace void sched_wakeup(void *data, struct task_struct *task)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)task);
}

#define ENQUEUE_HEAD 0x10 /* a flag of enqueue_task_CLASS() */

/* Fire at enqueue_task_CLASS(rq, task, flags). */
static notrace void sched_enqueue(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, regs->si, regs->di, !!(regs->dx & ENQUEUE_HEAD));
}

/* Fire at dequeue_task_CLASS(rq, task, flags). The same flag has another meaning here. */
static notrace void sched_dequeue(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, regs->si, regs->di, 0);
}

/* Fire at the timer interrupt of the scheduler, unless it has found the CPU idle. */
static notrace void sched_tick_hit(const struct stable_trigger *t, struct pt_regs *regs)
{
	if (!is_idle_task(current))
		stable_fire(t, regs, (uintptr_t)current);
}

/* ---- priorities: the kernel's numbers, of which less is more urgent ---- */

/* Fire at set_user_nice(task, nice). */
static notrace void sched_change_nice(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, regs->di, (uint64_t)NICE_TO_PRIO((long)regs->si));
}

/* Return the priority that scheduling attributes give to a task of a policy. */
static notrace int sched_priority_of(unsigned int policy, const struct sched_attr *attr)
{
	switch ((int)attr->sched_policy < 0 ? policy
					    : attr->sched_policy) { /* negative: it stays */
	case SCHED_DEADLINE:
		return -1;
	case SCHED_FIFO:
	case SCHED_RR:
		return MAX_RT_PRIO - 1 - (int)attr->sched_priority;
	default:
		return NICE_TO_PRIO(attr->sched_nice);
	}
}

/* Fire at __sched_setscheduler(task, attr, user, pi). */
static notrace void sched_change_class(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct sched_attr attr;
	unsigned int policy;

	if (!target_load_kernel(&attr, regs->si, sizeof(attr)) &&
	    !target_load_kernel(&policy, regs->di + offsetof(struct task_struct, policy),
				sizeof(policy)))
		stable_fire(t, regs, regs->di, (uint64_t)sched_priority_of(policy, &attr));
}

/* Fire when a task lends its priority to the owner of a lock, or takes it back. */
static notrace void sched_change_lent(void *data, struct task_struct *task,
				      struct task_struct *lender)
{
	int priority = lender ? min(task->normal_prio, lender->prio) : task->normal_prio;

	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)task, (uint64_t)priority);
}

/* ---- tables ---- */

#define LWPSINFO "struct task_struct *", "lwpsinfo_t *"
#define PSINFO	 "struct task_struct *", "psinfo_t *"
#define CPUINFO	 "struct rq *", "cpuinfo_t *"

static struct stable_probe sched_probes[] = {
	{"on-cpu"},
	{"off-cpu", {{LWPSINFO, 0}, {PSINFO, 0}}},
	{"sleep"},
	{"preempt"},
	{"remain-cpu"},
	{"surrender", {{LWPSINFO, 0}, {PSINFO, 0}}},
	{"wakeup", {{LWPSINFO, 0}, {PSINFO, 0}}},
	{"enqueue", {{LWPSINFO, 0}, {PSINFO, 0}, {CPUINFO, 1}, {"int", NULL, 2}}},
	{"dequeue", {{LWPSINFO, 0}, {PSINFO, 0}, {CPUINFO, 1}, {"int", NULL, 2}}},
	{"tick", {{LWPSINFO, 0}, {PSINFO, 0}}},
	{"change-pri", {{LWPSINFO, 0}, {PSINFO, 0}, {"int", NULL, 1}}},
};

static struct stable_trigger sched_triggers[] = {
	STABLE_ENTERED("on-cpu", "finish_task_switch.isra.0", sched_on_cpu),
	STABLE_ENTERED("on-cpu", "finish_task_switch", sched_on_cpu),
	STABLE_TP("off-cpu", sched_switch, sched_off_cpu),
	STABLE_TP("sleep", sched_switch, sched_sleep),
	STABLE_TP("preempt", sched_switch, sched_preempt),
	STABLE_RETURNED("remain-cpu", "pick_next_task_fair", sched_remain_cpu),
#ifdef COMPAT_PICK_TASK
	STABLE_RETURNED("remain-cpu", "pick_task_rt", sched_remain_cpu),
	STABLE_RETURNED("remain-cpu", "pick_task_dl", sched_remain_cpu),
#else
	STABLE_RETURNED("remain-cpu", "pick_next_task_rt", sched_remain_cpu),
	STABLE_RETURNED("remain-cpu", "pick_next_task_dl", sched_remain_cpu),
#endif
	STABLE_ENTERED("surrender", "do_sched_yield", sched_surrender),
	STABLE_TP("wakeup", sched_waking, sched_wakeup),
	STABLE_TP("wakeup", sched_wakeup_new, sched_wakeup),
	STABLE_ENTERED("enqueue", "enqueue_task_fair", sched_enqueue),
	STABLE_ENTERED("enqueue", "enqueue_task_rt", sched_enqueue),
	STABLE_ENTERED("enqueue", "enqueue_task_dl", sched_enqueue),
	STABLE_ENTERED("enqueue", "enqueue_task_stop", sched_enqueue),
	STABLE_ENTERED("dequeue", "dequeue_task_fair", sched_dequeue),
	STABLE_ENTERED("dequeue", "dequeue_task_rt", sched_dequeue),
	STABLE_ENTERED("dequeue", "dequeue_task_dl", sched_dequeue),
	STABLE_ENTERED("dequeue", "dequeue_task_stop", sched_dequeue),
	STABLE_ENTERED("tick", "scheduler_tick", sched_tick_hit),
	STABLE_ENTERED("tick", "sched_tick", sched_tick_hit),
	STABLE_ENTERED("change-pri", "set_user_nice", sched_change_nice),
	STABLE_ENTERED("change-pri", "__sched_setscheduler", sched_change_class),
	STABLE_TP("change-pri", sched_pi_setprio, sched_change_lent),
};

struct stable_provider sched_provider = {
	.name = "sched",
	.probes = sched_probes,
	.nprobes = ARRAY_SIZE(sched_probes),
	.triggers = sched_triggers,
	.ntriggers = ARRAY_SIZE(sched_triggers),
};
