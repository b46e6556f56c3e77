// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * place.c - tracepoints of one place that differ in their semaphores.
 *
 * Uprobes takes one semaphore for a place only, the first. Tracepoints without one put up with
 * that of another, but only for processes of one user, who has said too that it is a semaphore:
 * it will be counted up in them.
 *
 * Members are looked at under the tracepoint lock, or RCU. With whose semaphore a tracepoint is
 * registered changes while it has no breakpoints, in the patcher.
 */
#include "tracepoint.h"

/* ---- who may be there ---- */

/* A semaphore of another is for the processes of one user. */
bool place_suits(const struct fasttrap_tracepoint *tp, const struct fasttrap_member *member)
{
	return tp->place_ref == tp->ref || (member->key.mm && uid_eq(member->uid, tp->place_uid));
}

bool place_keeps(const struct fasttrap_tracepoint *tp, const struct fasttrap_member *member)
{
	return !READ_ONCE(member->leaving) && place_suits(tp, member);
}

bool place_fits(const struct fasttrap_tracepoint *tp)
{
	const struct fasttrap_member *member;
	bool fits = true;

	tracepoints_lock();
	list_for_each_entry(member, &tp->members, all)
		fits &= member->leaving || place_suits(tp, member);
	tracepoints_unlock();
	return fits;
}

/* ---- whose semaphore ---- */

/* [tracepoint lock] */
static bool place_has_user(const struct fasttrap_tracepoint *tp, kuid_t uid)
{
	const struct fasttrap_member *member;

	lockdep_assert_tracepoints();
	list_for_each_entry(member, &tp->members, all)
		if (member->key.mm && !member->leaving && uid_eq(member->uid, uid))
			return true;
	return false;
}

/* [tracepoint lock] One user's processes only, and the user has the rival's semaphore too? */
static bool place_may_share(const struct fasttrap_tracepoint *tp,
			    const struct fasttrap_tracepoint *rival, kuid_t *uid)
{
	const struct fasttrap_member *member;
	bool any = false;

	lockdep_assert_tracepoints();
	list_for_each_entry(member, &tp->members, all) {
		if (member->leaving)
			continue;
		if (!member->key.mm || (any && !uid_eq(member->uid, *uid)))
			return false;
		*uid = member->uid;
		any = true;
	}
	return any && place_has_user(rival, *uid);
}

/*
 * One that is registered in the same place, but with another semaphore, or none: rather one that
 * has a semaphore of its own. Or NULL.
 */
static struct fasttrap_tracepoint *place_rival(const struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tracepoint *other, *found = NULL;

	tracepoints_lock();
	for_each_tracepoint_at(other, tp->inode, tp->offset)
		if (other != tp && other->registered && other->place_ref != tp->place_ref &&
		    (!found || other->ref))
			found = other;
	tracepoints_unlock();
	return found;
}

/* It goes, so that one with a semaphore can come; it comes back with that. */
static void place_yield(struct fasttrap_tracepoint *tp, const struct fasttrap_tracepoint *to)
{
	tracepoint_withdraw(tp);
	tracepoints_lock();
	patcher_note_because(tp, to);
	tracepoints_unlock();
}

/* False: the place has another semaphore. */
bool place_settle(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tracepoint *rival;
	bool shares;
	kuid_t uid;

	tp->place_ref = tp->ref;
	rival = place_rival(tp);
	if (!rival)
		return true;
	tracepoints_lock();
	shares = tp->ref ? !rival->ref && place_may_share(rival, tp, &uid) :
			   place_may_share(tp, rival, &uid);
	tracepoints_unlock();
	if (!shares)
		return false;
	if (tp->ref) {
		place_yield(rival, tp);
	} else {
		tp->place_uid = uid;
		tp->place_ref = rival->place_ref;
	}
	return true;
}

void place_leave(const struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tracepoint *other;

	lockdep_assert_tracepoints();
	for_each_tracepoint_at(other, tp->inode, tp->offset)
		if (other->error == -EBUSY)
			patcher_note_because(other, tp);
}
