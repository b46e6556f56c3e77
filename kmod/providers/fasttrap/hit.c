// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * hit.c - what happens when a thread comes to a breakpoint: the sites that its process has
 * there, and those of everybody, fire.
 *
 * No lock is taken: members and sites are found under RCU. Handlers are called in task context with
 * interrupts on, so these are turned off and on here without a look at what they were. Only who may
 * be a fork child that has not been adopted yet takes the registry, before it looks again.
 */
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/processor.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "tracepoint.h"

static __always_inline void hit_site(const struct fasttrap_tracepoint *tp,
				     const struct fasttrap_site *site, struct pt_regs *regs)
{
	struct dtrace_fire fire = {
		.regs = regs,
		.user = true,
		.no_frame = site->group->bare,
		.cookie = site,
	};

	if (site->group->kind == FASTTRAP_RETURN && !instruction_passes(&tp->instruction, regs))
		return;		/* a tail call that is not made */
	if (site->desc->isenabled)
		regs->ax = 1;	/* the program asks whether it is traced */
	else
		dtrace_fire_within(site->group->probe->probe, &fire);
}

static bool hit_site_ready(const struct fasttrap_site *site)
{
	return READ_ONCE(site->group->registration->process->ready);
}

/* Fire at a site of the current process. False: the process has not got all its probes yet. */
static __always_inline bool hit_own_site(const struct fasttrap_tracepoint *tp,
					 const struct fasttrap_site *site, struct pt_regs *regs)
{
	if (!hit_site_ready(site))
		return false;
	if (site->desc->addr == instruction_pointer(regs))
		hit_site(tp, site, regs);
	return true;
}

static __always_inline struct fasttrap_site *hit_next(const struct fasttrap_site *site)
{
	return hlist_entry_safe(rcu_dereference_check(hlist_next_rcu(&site->in_member),
						      irqs_disabled()),
				struct fasttrap_site, in_member);
}

/*
 * Fire at the sites from the second one on, which few hits have. Interrupts that wait come in before
 * each: together the firings take many times as long as interrupts may be off. RCU keeps the sites
 * meanwhile. Interrupts are off on entry and on return. False: as hit_own_site.
 */
static noinline bool hit_others(const struct fasttrap_tracepoint *tp,
				const struct fasttrap_site *site, struct pt_regs *regs,
				bool everybody)
{
	bool ready = true;

	rcu_read_lock();
	for (; site && ready; site = hit_next(site)) {
		local_irq_enable();
		cpu_relax();	/* the processor takes none before the instruction behind this has ended */
		local_irq_disable();
		if (everybody)
			hit_site(tp, site, regs);
		else
			ready = hit_own_site(tp, site, regs);
	}
	rcu_read_unlock();
	return ready;
}

static __always_inline struct fasttrap_site *hit_first(const struct fasttrap_member *member)
{
	return hlist_entry_safe(rcu_dereference_check(hlist_first_rcu(&member->sites),
						      irqs_disabled()),
				struct fasttrap_site, in_member);
}

/*
 * False: current is no member, or it is being adopted and has not got all its probes.
 *
 * A site may be attached and detached while this runs, and come back elsewhere before readers have
 * passed: then a hit at the very moment of enabling may be missed, or fire a probe twice. Its memory
 * stays until after a grace period, and with interrupts off none ends.
 */
static __always_inline bool hit_member(struct fasttrap_tracepoint *tp, struct pt_regs *regs)
{
	struct fasttrap_member *member;
	struct fasttrap_site *site, *next;
	bool ready = false;	/* a new member has no sites for a moment */

	local_irq_disable();
	member = member_lookup(tp, current->mm);
	site = member ? hit_first(member) : NULL;
	if (site) {
		ready = hit_own_site(tp, site, regs);
		next = hit_next(site);
		if (unlikely(next) && ready)
			ready = hit_others(tp, next, regs, false);
	}
	local_irq_enable();
	return ready;
}

/* Sites of everybody: at this offset of this file, wherever it is mapped. False: there is none. */
static __always_inline bool hit_everybody(struct fasttrap_tracepoint *tp, struct pt_regs *regs)
{
	struct fasttrap_member *member;
	struct fasttrap_site *site;
	bool any;

	if (!rcu_access_pointer(tp->everybody))
		return false;
	local_irq_disable();
	member = rcu_dereference_check(tp->everybody, irqs_disabled());
	any = member && !READ_ONCE(member->leaving);
	site = any ? hit_first(member) : NULL;
	if (site) {
		hit_site(tp, site, regs);
		site = hit_next(site);
		if (unlikely(site))
			hit_others(tp, site, regs, true);
	}
	local_irq_enable();
	return any;
}

/*
 * Everybody is a member, as was seen before: is it the only one? The count changes under the
 * tracepoint lock, and is read without.
 *
 * A process is counted before who enables its probes is told that they are: the lock, and the wait
 * for the patcher, order the count before that, and what a program does because of it comes later.
 * A fork child that waits to be adopted has its parent's probes, and the parent is counted until
 * the child is: children are adopted before anything that they inherit is taken from their parent.
 * If everybody leaves meanwhile and a process comes, 1 is the process: it was none when it hit.
 */
static __always_inline bool hit_only_everybody(const struct fasttrap_tracepoint *tp)
{
	return READ_ONCE(tp->nmembers) == 1;
}

/*
 * A process that is no member: a fork child that has not been adopted yet, or one that has the
 * breakpoint from its parent but is not traced itself, or was until just now. Adoption makes the
 * members before the fork is done with; so if no fork waits, the second look sees what there is to
 * see. wanted: the breakpoint is everybody's besides. False: it has a right to it.
 */
static noinline bool hit_is_stray(struct fasttrap_tracepoint *tp, struct pt_regs *regs, bool wanted)
{
	bool waits = events_fork(current->mm) || (!wanted && events_lost());

	if (waits)
		process_adopt_current();
	if (((waits || !wanted) && hit_member(tp, regs)) || wanted)
		return false;
	atomic64_inc(&fasttrap_counts.stray_hits);
	return true;
}

/*
 * In task context, interrupts on; 6.1 holds a lock that unregistering waits for. Tracers that are
 * told after this one want to see the registers before the instruction, not behind it.
 */
COMPAT_UPROBE_HANDLER(hit_handler, uc, regs)
{
	struct fasttrap_tracepoint *tp = container_of(uc, struct fasttrap_tracepoint, consumer);
	bool wanted;

	lockdep_assert_irqs_enabled();
	data_race(tp->hits++);
	wanted = hit_everybody(tp, regs);
	if (!(wanted && hit_only_everybody(tp)) && !hit_member(tp, regs) &&
	    hit_is_stray(tp, regs, wanted))
		return UPROBE_HANDLER_REMOVE;
	if (tp->instruction.kind != INSTRUCTION_OTHER && compat_uprobe_is_last(uc))
		instruction_do(&tp->instruction, regs, compat_uprobe_is_alone(uc));
	return 0;
}
