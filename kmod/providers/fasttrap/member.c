// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * member.c - the address spaces that want a tracepoint, each with its sites there.
 *
 * All changes are made under the tracepoint lock. Hits and uprobes' filter look members and their
 * sites up under RCU.
 */
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "tracepoint.h"

static struct rhashtable members;

/* ---- the table ---- */

/* Asked at each hit, with keys that are the kernel's own addresses: cheap rather than strong. */
static u32 member_hash(const void *data, u32 len, u32 seed)
{
	const struct fasttrap_member_key *key = data;

	return hash_64((unsigned long)key->tracepoint ^ seed, 32) ^ hash_ptr(key->mm, 32);
}

static u32 member_hash_object(const void *data, u32 len, u32 seed)
{
	const struct fasttrap_member *member = data;

	return member_hash(&member->key, len, seed);
}

static int member_differs(struct rhashtable_compare_arg *arg, const void *object)
{
	const struct fasttrap_member_key *key = arg->key;
	const struct fasttrap_member *member = object;

	return key->tracepoint != member->key.tracepoint || key->mm != member->key.mm;
}

static const struct rhashtable_params member_params = {
	.head_offset = offsetof(struct fasttrap_member, hash),
	.key_offset = offsetof(struct fasttrap_member, key),
	.key_len = sizeof(struct fasttrap_member_key),
	.hashfn = member_hash,
	.obj_hashfn = member_hash_object,
	.obj_cmpfn = member_differs,
	.automatic_shrinking = true,
};

/* RCU, or interrupts off, which is as good; rhashtable wants to see the former. */
struct fasttrap_member *member_search(struct fasttrap_tracepoint *tp, struct mm_struct *mm)
{
	struct fasttrap_member_key key = { .tracepoint = tp, .mm = mm };
	struct fasttrap_member *member;

	rcu_read_lock();
	member = rhashtable_lookup(&members, &key, member_params);
	rcu_read_unlock();
	return member;
}

/* Tracepoint lock, which keeps what is found. */
struct fasttrap_member *member_find(struct fasttrap_tracepoint *tp, struct mm_struct *mm)
{
	struct fasttrap_member *member;

	lockdep_assert_tracepoints();
	rcu_read_lock();
	member = member_lookup(tp, mm);
	rcu_read_unlock();
	return member;
}

int members_init(void)
{
	return rhashtable_init(&members, &member_params);
}

void members_exit(void)
{
	rhashtable_destroy(&members);
}

/* ---- they come and go ---- */

struct fasttrap_member *member_create(struct fasttrap_tracepoint *tp, struct mm_struct *mm)
{
	struct fasttrap_member *member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	int error;

	lockdep_assert_tracepoints();
	if (!member)
		return ERR_PTR(-ENOMEM);
	member->key.tracepoint = tp;
	member->key.mm = mm;
	INIT_HLIST_HEAD(&member->sites);
	error = rhashtable_insert_fast(&members, &member->hash, member_params);
	if (error) {
		kfree(member);
		return ERR_PTR(error);
	}
	if (mm)		/* a member may outlive its process, and must not be taken for another's */
		mmgrab(mm);
	list_add_tail(&member->all, &tp->members);
	if (mm)
		rcu_assign_pointer(tp->newest, member);
	else
		rcu_assign_pointer(tp->everybody, member);
	WRITE_ONCE(tp->nmembers, tp->nmembers + 1);
	return member;
}

/* A process whose memory is gone has no breakpoints that must be taken out. */
static bool member_alive(const struct fasttrap_member *member)
{
	return !member->key.mm || atomic_read(&member->key.mm->mm_users);
}

void member_destroy(struct fasttrap_member *member)
{
	struct fasttrap_tracepoint *tp = member->key.tracepoint;

	lockdep_assert_tracepoints();
	if (rcu_access_pointer(tp->newest) == member)
		RCU_INIT_POINTER(tp->newest, NULL);
	if (rcu_access_pointer(tp->everybody) == member)
		RCU_INIT_POINTER(tp->everybody, NULL);
	rhashtable_remove_fast(&members, &member->hash, member_params);
	list_del(&member->all);
	if (member->key.mm)
		mmdrop(member->key.mm);
	kfree_rcu(member, rcu);
}

/*
 * It has no sites any more. While it lives it stays known, so that the filter can tell it from a
 * stranger.
 */
static void member_leave(struct fasttrap_member *member)
{
	struct fasttrap_tracepoint *tp = member->key.tracepoint;

	WRITE_ONCE(tp->nmembers, tp->nmembers - 1);
	if (member_alive(member))
		WRITE_ONCE(member->leaving, true);
	else
		member_destroy(member);
}

void member_return(struct fasttrap_member *member)
{
	struct fasttrap_tracepoint *tp = member->key.tracepoint;

	lockdep_assert_tracepoints();
	WRITE_ONCE(tp->nmembers, tp->nmembers + 1);
	WRITE_ONCE(member->leaving, false);
	WRITE_ONCE(member->patched, false);	/* the patcher may be taking it out right now */
	member->patching = false;
}

/* ---- their sites ---- */

/* In the order of kinds, and among equals behind the others. */
void member_add_site(struct fasttrap_member *member, struct fasttrap_site *site)
{
	struct fasttrap_site *other, *last = NULL;

	lockdep_assert_tracepoints();
	hlist_for_each_entry(other, &member->sites, in_member)
		if (other->group->kind <= site->group->kind)
			last = other;
	if (last)
		hlist_add_behind_rcu(&site->in_member, &last->in_member);
	else
		hlist_add_head_rcu(&site->in_member, &member->sites);
	site->member = member;
	member->nsites++;
}

void member_remove_site(struct fasttrap_member *member, struct fasttrap_site *site)
{
	struct fasttrap_tracepoint *tp = member->key.tracepoint;
	bool alive;

	lockdep_assert_tracepoints();
	site->member = NULL;
	hlist_del_rcu(&site->in_member);
	if (--member->nsites)
		return;
	alive = member_alive(member);
	member_leave(member);
	if (alive || !tp->nmembers)
		patcher_note(tp);
}
