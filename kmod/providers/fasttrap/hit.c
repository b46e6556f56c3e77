// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * hit.c - fire probes when a thread hits a breakpoint: the sites that its process has there, and
 * the system-wide ones.
 *
 * No lock is taken: tp_mms and sites are found under RCU. Handlers run in task context with
 * interrupts on, so interrupts are switched off and on without saving flags. Take the registry lock
 * only if the process may be a fork child without copies of its parent's registrations; then look
 * again.
 */
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/processor.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "tracepoint.h"

static __always_inline void hit_fire(const struct fasttrap_tracepoint *tp,
				     const struct fasttrap_site *site, struct pt_regs *regs)
{
	struct dtrace_fire fire = {
		.regs = regs,
		.user = true,
		.no_frame = site->group->no_frame,
		.cookie = site,
	};

	if (site->group->kind == FASTTRAP_RETURN && !insn_is_taken(&tp->instruction, regs))
		return; /* a tail call that is not made */
	if (site->desc->isenabled)
		regs->ax = 1; /* the program asks whether it is traced */
	else
		dtrace_fire_within(site->group->probe->probe, &fire);
}

/*
 * Fire at a site of the current process, if it is the site's address that was hit. Return false if
 * the process does not have all its probes yet.
 */
static __always_inline bool hit_fire_own(const struct fasttrap_tracepoint *tp,
					 const struct fasttrap_site *site, struct pt_regs *regs)
{
	if (READ_ONCE(site->group->registration->process->state) == FASTTRAP_PROCESS_NEW)
		return false;
	if (site->desc->addr == instruction_pointer(regs))
		hit_fire(tp, site, regs);
	return true;
}

static __always_inline struct fasttrap_site *hit_next(const struct fasttrap_site *site)
{
	return hlist_entry_safe(
		rcu_dereference_check(hlist_next_rcu(&site->in_tp_mm), irqs_disabled()),
		struct fasttrap_site, in_tp_mm);
}

/*
 * Fire at the second and later sites, which few hits have. Take pending interrupts before each: all
 * firings together may take many times as long as interrupts may be off. RCU keeps the sites
 * meanwhile. Interrupts are off on entry and on return. Return as hit_fire_own does.
 */
static noinline bool hit_fire_rest(const struct fasttrap_tracepoint *tp,
				   const struct fasttrap_site *site, struct pt_regs *regs,
				   bool system_wide)
{
	bool ready = true;

	rcu_read_lock();
	for (; site && ready; site = hit_next(site)) {
		local_irq_enable();
		cpu_relax(); /* sti takes effect after the next instruction */
		local_irq_disable();
		if (system_wide)
			hit_fire(tp, site, regs);
		else
			ready = hit_fire_own(tp, site, regs);
	}
	rcu_read_unlock();
	return ready;
}

static __always_inline struct fasttrap_site *hit_first(const struct fasttrap_tp_mm *tp_mm)
{
	return hlist_entry_safe(
		rcu_dereference_check(hlist_first_rcu(&tp_mm->sites), irqs_disabled()),
		struct fasttrap_site, in_tp_mm);
}

/*
 * Return the tp_mm of the current process, or NULL. Most tracepoints have one mm only, or the
 * newest one is hit, so look there first. Interrupts are off.
 */
static __always_inline struct fasttrap_tp_mm *hit_tp_mm(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tp_mm *tp_mm = rcu_dereference_check(tp->newest, irqs_disabled());

	return tp_mm && tp_mm->key.mm == current->mm ? tp_mm
						     : fasttrap_tp_mm_search(tp, current->mm);
}

/*
 * Fire at the sites of the current process. Return false if it has none, or does not have all its
 * probes yet.
 *
 * A site may be detached while this runs, and be attached elsewhere before a grace period has
 * passed. Then a hit at the very moment of enabling may be missed, or fire a probe twice. The
 * memory of the site is valid until after a grace period, and none ends while interrupts are off.
 */
static __always_inline bool hit_process(struct fasttrap_tracepoint *tp, struct pt_regs *regs)
{
	struct fasttrap_tp_mm *tp_mm;
	struct fasttrap_site *site, *next;
	bool ready = false; /* a new tp_mm has no sites for a moment */

	local_irq_disable();
	tp_mm = hit_tp_mm(tp);
	site = tp_mm ? hit_first(tp_mm) : NULL;
	if (site) {
		ready = hit_fire_own(tp, site, regs);
		next = hit_next(site);
		if (unlikely(next) && ready)
			ready = hit_fire_rest(tp, next, regs, false);
	}
	local_irq_enable();
	return ready;
}

/* Fire at the system-wide sites of this location. Return false if there are none. */
static __always_inline bool hit_system_wide(struct fasttrap_tracepoint *tp, struct pt_regs *regs)
{
	struct fasttrap_tp_mm *tp_mm;
	struct fasttrap_site *site;
	bool any;

	if (!rcu_access_pointer(tp->system_wide))
		return false;
	local_irq_disable();
	tp_mm = rcu_dereference_check(tp->system_wide, irqs_disabled());
	any = tp_mm && !fasttrap_tp_mm_is_leaving(tp_mm);
	site = any ? hit_first(tp_mm) : NULL;
	if (site) {
		hit_fire(tp, site, regs);
		site = hit_next(site);
		if (unlikely(site))
			hit_fire_rest(tp, site, regs, true);
	}
	local_irq_enable();
	return any;
}

/*
 * Return whether the system-wide tp_mm, which was just seen, is the only one. The count changes
 * under the tracepoint lock, and is read without.
 *
 * A process is counted before its tracer is told that its probes are enabled: the lock, and the
 * wait for the worker, order the count before that. A fork child without copies has the probes of
 * its parent, which is counted until the child is: copies are made before anything that the child
 * inherits is taken from the parent. If the system-wide tp_mm leaves meanwhile and a process comes,
 * the 1 is the process, which was not there when it hit.
 */
static __always_inline bool hit_only_system_wide(const struct fasttrap_tracepoint *tp)
{
	return READ_ONCE(tp->nmms) == 1;
}

/*
 * Handle a process without a tp_mm. The process is a fork child without copies, or has inherited
 * the breakpoint and is not traced, or was traced until just now. Copies are made before the fork
 * is forgotten; so if no fork is pending, the second search finds all tp_mms. system_wide: all
 * processes want the breakpoint too. Return true if the process does not need the breakpoint.
 */
static noinline bool hit_is_stray(struct fasttrap_tracepoint *tp, struct pt_regs *regs,
				  bool system_wide)
{
	bool pending =
		fasttrap_events_fork(current->mm) || (!system_wide && fasttrap_events_lost());

	if (pending)
		fasttrap_fork_copy_to_current();
	if (((pending || !system_wide) && hit_process(tp, regs)) || system_wide)
		return false;
	atomic64_inc(&fasttrap_counts.stray_hits);
	return true;
}

/*
 * Return whether uprobes may remove the breakpoint when the handler returns. Uprobes then holds the
 * mmap_lock for reading only. If other threads of the process do the same, a reference counter may
 * be decremented twice for one breakpoint, or once for two. The worker has the lock for writing.
 */
static bool hit_may_remove(const struct fasttrap_tracepoint *tp)
{
	return !tp->used_refctr || atomic_read(&current->mm->mm_users) == 1;
}

/*
 * Task context, interrupts on. In 6.1, unregistering waits for a lock that uprobes holds here.
 * Other uprobe consumers that are called after this one expect the registers before the
 * instruction, so it is emulated only if this is the last one.
 */
COMPAT_UPROBE_HANDLER(fasttrap_hit, uc, regs)
{
	struct fasttrap_tracepoint *tp = container_of(uc, struct fasttrap_tracepoint, consumer);
	bool system_wide;

	lockdep_assert_irqs_enabled();
	data_race(tp->hits++);
	system_wide = hit_system_wide(tp, regs);
	if (!(system_wide && hit_only_system_wide(tp)) && !hit_process(tp, regs) &&
	    hit_is_stray(tp, regs, system_wide)) {
		if (hit_may_remove(tp))
			return UPROBE_HANDLER_REMOVE;
		fasttrap_tp_mm_remove_current(tp);
	}
	if (tp->instruction.kind != INSN_OTHER && compat_uprobe_is_last(uc))
		insn_emulate(&tp->instruction, regs, compat_uprobe_is_alone(uc));
	return 0;
}
