// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * refctr.c - choose the reference counter (semaphore) of tracepoints that share a location.
 *
 * Uprobes accepts one reference counter for each location: that of the first uprobe consumer. A
 * tracepoint without a reference counter accepts that of another tracepoint, but only for processes
 * of one user, who has registered the reference counter too: uprobes increments it in these
 * processes.
 *
 * used_refctr changes while the tracepoint has no breakpoints, in the worker. The tp_mms are read
 * under the tracepoint lock, or RCU.
 */
#include "tracepoint.h"

/* Return whether the tp_mm may have the breakpoint with the tracepoint's reference counter. RCU. */
static bool refctr_suits(const struct fasttrap_tracepoint *tp, const struct fasttrap_tp_mm *tp_mm)
{
	return tp->used_refctr == tp->refctr ||
	       (tp_mm->key.mm && uid_eq(tp_mm->uid, tp->refctr_uid));
}

bool fasttrap_refctr_grants(const struct fasttrap_tracepoint *tp,
			    const struct fasttrap_tp_mm *tp_mm)
{
	return !fasttrap_tp_mm_is_leaving(tp_mm) && refctr_suits(tp, tp_mm);
}

bool fasttrap_refctr_suits_all(const struct fasttrap_tracepoint *tp)
{
	const struct fasttrap_tp_mm *tp_mm;
	bool suits = true;

	fasttrap_tracepoints_lock();
	list_for_each_entry(tp_mm, &tp->mms, all)
		suits &= fasttrap_tp_mm_is_leaving(tp_mm) || refctr_suits(tp, tp_mm);
	fasttrap_tracepoints_unlock();
	return suits;
}

/*
 * Return whether tp may use the rival's reference counter: all its tp_mms are one user's processes,
 * and that user has a process at the rival too. Set *uid to the user [tracepoint lock].
 */
static bool refctr_may_share(const struct fasttrap_tracepoint *tp,
			     const struct fasttrap_tracepoint *rival, kuid_t *uid)
{
	const struct fasttrap_tp_mm *tp_mm;
	bool any = false;

	fasttrap_tracepoints_assert_locked();
	list_for_each_entry(tp_mm, &tp->mms, all) {
		if (fasttrap_tp_mm_is_leaving(tp_mm))
			continue;
		if (!tp_mm->key.mm || (any && !uid_eq(tp_mm->uid, *uid)))
			return false;
		*uid = tp_mm->uid;
		any = true;
	}
	if (!any)
		return false;
	list_for_each_entry(tp_mm, &rival->mms, all)
		if (tp_mm->key.mm && !fasttrap_tp_mm_is_leaving(tp_mm) && uid_eq(tp_mm->uid, *uid))
			return true;
	return false;
}

/*
 * Unregister the other tracepoints at the location of tp that no mm wants: CROWDED ones. They are
 * queued again, to be retired.
 */
static void refctr_end_unwanted(const struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tracepoint *other, *unwanted;

	do {
		unwanted = NULL;
		fasttrap_tracepoints_lock();
		for_each_tracepoint_at(other, tp->inode, tp->offset)
			if (other != tp && !other->nmms &&
			    other->consumer_state == FASTTRAP_CONSUMER_ON)
				unwanted = other;
		if (unwanted)
			fasttrap_uprobe_queue_for(unwanted, tp);
		fasttrap_tracepoints_unlock();
		/* Only the worker retires tracepoints, so it is still there. */
		if (unwanted)
			fasttrap_uprobe_unregister(unwanted);
	} while (unwanted);
}

/*
 * If a tracepoint without a reference counter occupies the location, it is unregistered and
 * queued again, so that it comes back with the reference counter of tp. Of several rivals,
 * prefer one with a reference counter of its own.
 */
bool fasttrap_refctr_choose(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tracepoint *other, *rival = NULL;
	bool shares = false;
	kuid_t uid;

	refctr_end_unwanted(tp);
	tp->used_refctr = tp->refctr;
	fasttrap_tracepoints_lock();
	for_each_tracepoint_at(other, tp->inode, tp->offset)
		if (other != tp && other->consumer_state != FASTTRAP_CONSUMER_NONE &&
		    other->used_refctr != tp->used_refctr && (!rival || other->refctr))
			rival = other;
	if (rival)
		shares = tp->refctr ? !rival->refctr && refctr_may_share(rival, tp, &uid)
				    : refctr_may_share(tp, rival, &uid);
	fasttrap_tracepoints_unlock();
	if (!rival)
		return true;
	if (!shares)
		return false;
	if (!tp->refctr) {
		tp->refctr_uid = uid;
		tp->used_refctr = rival->used_refctr;
		return true;
	}
	/* Only the worker retires tracepoints, so the rival is still there. */
	fasttrap_uprobe_unregister(rival);
	fasttrap_tracepoints_lock();
	fasttrap_uprobe_queue_for(rival, tp);
	fasttrap_tracepoints_unlock();
	return true;
}

void fasttrap_refctr_retry(const struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tracepoint *other;

	fasttrap_tracepoints_assert_locked();
	for_each_tracepoint_at(other, tp->inode, tp->offset)
		if (other->error == -EBUSY)
			fasttrap_uprobe_queue_for(other, tp);
}
