// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fasttrap_patcher.c - the one worker that calls uprobes, so that breakpoints become what
 * tracepoints and their members say.
 *
 * Uprobes asks a tracepoint's filter when the consumer comes, when it goes, and when a file is
 * mapped; to have it asked again for a set that has changed, a second consumer (the poke) comes and
 * goes.
 *
 * The patcher takes what is noted under the tracepoint lock, works without any lock, since uprobes
 * may wait for handlers, and puts the results down under it again. What it changes in tracepoints
 * besides is its own. Consumers that are gone are left to the sweeper, which waits for their
 * handlers.
 */
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "fasttrap_tracepoint.h"

static LIST_HEAD(tracepoints_noted);	/* tracepoint lock */
static u64 notes_made;			/* tracepoint lock: how often something was noted */
static u64 notes_done;			/* read without: up to which note all is done */
static DECLARE_WAIT_QUEUE_HEAD(notes_wait);
static void patcher_run(struct work_struct *work);
static DECLARE_WORK(patcher, patcher_run);

static LIST_HEAD(swept_pokes);		/* tracepoint lock, and the next */
static LIST_HEAD(swept_tracepoints);
static void sweeper_run(struct work_struct *work);
static DECLARE_WORK(sweeper, sweeper_run);

/* A consumer that comes only to go, so that the filters of its place are asked. */
struct poke {
	struct uprobe_consumer consumer;
	struct compat_uprobe uprobe;
	struct fasttrap_tracepoint *tp;
	struct mm_struct *only;		/* it is for this one; NULL: for all that are not patched */
	struct list_head swept;
};

/* ---- notes ---- */

void patcher_note(struct fasttrap_tracepoint *tp)
{
	notes_made++;
	if (list_empty(&tp->dirty))
		list_add_tail(&tp->dirty, &tracepoints_noted);
}

void patcher_kick(void)
{
	queue_work(fasttrap_wq, &patcher);
}

void patcher_wait(void)
{
	u64 note;

	tracepoints_lock();
	note = notes_made;
	tracepoints_unlock();
	if (READ_ONCE(notes_done) >= note)
		return;
	patcher_kick();
	wait_event_idle(notes_wait, READ_ONCE(notes_done) >= note); /* minutes, for a hundred thousand */
}

/* ---- pokes ---- */

static bool member_waits(const struct fasttrap_tracepoint *tp, const struct fasttrap_member *member)
{
	return member && place_keeps(tp, member) && !READ_ONCE(member->patched);
}

static COMPAT_UPROBE_HANDLER(poke_handler, uc, regs)
{
	return 0;
}

static COMPAT_UPROBE_FILTER(poke_filter, uc, mm)
{
	const struct poke *poke = container_of(uc, struct poke, consumer);
	bool wanted;

	rcu_read_lock();
	wanted = member_waits(poke->tp, member_lookup(poke->tp, mm)) ||
		 member_waits(poke->tp, rcu_dereference(poke->tp->everybody));
	rcu_read_unlock();
	return wanted && (!poke->only || poke->only == mm);
}

static struct poke *poke_create(struct fasttrap_tracepoint *tp, struct mm_struct *only)
{
	/* Small, and without it a program could be left with breakpoints. */
	struct poke *poke = kzalloc(sizeof(*poke), GFP_KERNEL | __GFP_NOFAIL);

	poke->consumer.handler = poke_handler;
	poke->consumer.filter = poke_filter;
	poke->tp = tp;
	poke->only = only;
	return poke;
}

/*
 * Uprobes walks all mappings of the file: those asked for get the breakpoint, and who is leaving
 * loses it.
 */
static int patcher_poke(struct fasttrap_tracepoint *tp, struct mm_struct *only)
{
	struct poke *poke = poke_create(tp, only);
	int error = compat_uprobe_register(&poke->uprobe, tp->inode, tp->offset, tp->place_ref,
					   &poke->consumer);

	if (error) {
		kfree(poke);
		return error;
	}
	WRITE_ONCE(tp->keeper, current);
	compat_uprobe_unregister(&poke->uprobe, &poke->consumer);
	WRITE_ONCE(tp->keeper, NULL);
	tracepoints_lock();
	list_add_tail(&poke->swept, &swept_pokes);
	tracepoints_unlock();
	return 0;
}

/* ---- one tracepoint ---- */

/* The next member that the patcher has to do with, its memory held; NULL: no more. */
static struct fasttrap_member *patcher_next(struct fasttrap_tracepoint *tp, struct mm_struct **mm)
{
	struct fasttrap_member *member;

	list_for_each_entry(member, &tp->members, all)
		if (member->patching && !member->patched) {
			*mm = member->key.mm;
			if (*mm)
				mmgrab(*mm);
			return member;
		}
	return NULL;
}

/* Note the result for one process, if it is still a member. */
static void patcher_done(struct fasttrap_tracepoint *tp, struct mm_struct *mm, int error)
{
	struct fasttrap_member *member;

	tracepoints_lock();
	member = member_find(tp, mm);
	if (member) {
		member->error = error;
		WRITE_ONCE(member->patched, true);
	}
	tracepoints_unlock();
	if (mm)
		mmdrop(mm);
}

/*
 * Uprobes gives up at the first process where it fails. So that one cannot spoil it for the
 * others, each by itself.
 */
static void patcher_patch_each(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_member *member;
	struct mm_struct *mm = NULL;

	for (;;) {
		tracepoints_lock();
		member = patcher_next(tp, &mm);
		tracepoints_unlock();
		if (!member)
			return;
		patcher_done(tp, mm, patcher_poke(tp, mm));
	}
}

static int patcher_register_held(struct fasttrap_tracepoint *tp)
{
	int error;

	WRITE_ONCE(tp->hold, true);
	error = tracepoint_register(tp);
	WRITE_ONCE(tp->hold, false);
	if (!error)
		patcher_patch_each(tp);
	return error;
}

static int patcher_patch_one(struct fasttrap_tracepoint *tp)
{
	int error;

	if (tp->registered && !place_fits(tp))
		tracepoint_withdraw(tp);
	if (!tp->registered) {
		if (!place_settle(tp))
			return -EBUSY;
		error = tracepoint_register(tp);
		return error ? patcher_register_held(tp) : 0;
	}
	error = patcher_poke(tp, NULL);
	if (error)
		patcher_patch_each(tp);
	return 0;
}

/* ---- a batch of them ---- */

/* [tracepoint lock] Nobody wants it: uprobes will take out all breakpoints. */
static void patcher_doom(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_member *member, *next;

	tp->dying = true;
	hash_del(&tp->hash);
	list_for_each_entry_safe(member, next, &tp->members, all)
		member_destroy(member);
}

static void patcher_take_one(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_member *member;

	list_for_each_entry(member, &tp->members, all) {
		member->going = member->leaving;
		member->patching = !member->patched && !member->leaving;
	}
}

/* [tracepoint lock] All that is dirty becomes a batch. */
static bool patcher_take(struct list_head *batch)
{
	struct fasttrap_tracepoint *tp, *next;

	list_for_each_entry_safe(tp, next, &tracepoints_noted, dirty) {
		list_del_init(&tp->dirty);
		list_add_tail(&tp->batch, batch);
		if (tp->nmembers)
			patcher_take_one(tp);
		else
			patcher_doom(tp);
	}
	return !list_empty(batch);
}

static void patcher_remove(struct list_head *batch)
{
	struct fasttrap_tracepoint *tp;

	list_for_each_entry(tp, batch, batch)
		if (tp->dying && tp->registered) {
			compat_uprobe_unregister(&tp->uprobe, &tp->consumer);
			cond_resched();
		}
}

static void patcher_patch(struct list_head *batch)
{
	struct fasttrap_tracepoint *tp;

	list_for_each_entry(tp, batch, batch)
		if (!tp->dying) {
			tp->error = patcher_patch_one(tp);
			atomic64_inc(tp->error ? &fasttrap_counts.patch_errors
					       : &fasttrap_counts.patches);
			cond_resched();
		}
}

/* [tracepoint lock] */
static void patcher_settle_one(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_member *member, *next;

	list_for_each_entry_safe(member, next, &tp->members, all) {
		if (member->patching)
			WRITE_ONCE(member->patched, true);
		if (member->going && member->leaving)
			member_destroy(member);
		else
			member->patching = member->going = false;
	}
}

static void patcher_finish(struct list_head *batch)
{
	struct fasttrap_tracepoint *tp, *next;

	tracepoints_lock();
	list_for_each_entry_safe(tp, next, batch, batch) {
		list_del_init(&tp->batch);
		if (tp->dying) {
			place_leave(tp);
			list_add_tail(&tp->batch, &swept_tracepoints);
		} else {
			patcher_settle_one(tp);
		}
	}
	tracepoints_unlock();
	queue_work(fasttrap_wq, &sweeper);
}

static void patcher_announce(u64 note)
{
	WRITE_ONCE(notes_done, note);
	wake_up_all(&notes_wait);
}

static void patcher_run(struct work_struct *work)
{
	LIST_HEAD(batch);
	bool any;
	u64 note;

	for (;;) {
		tracepoints_lock();
		note = notes_made;
		any = patcher_take(&batch);
		tracepoints_unlock();
		if (!any)
			return;
		patcher_remove(&batch);
		patcher_patch(&batch);
		patcher_finish(&batch);
		patcher_announce(note);
	}
}

/* ---- the sweeper ---- */

static void sweep(struct list_head *gone_tracepoints, struct list_head *gone_pokes)
{
	struct fasttrap_tracepoint *tp, *next_tp;
	struct poke *poke, *next_poke;

	list_for_each_entry_safe(tp, next_tp, gone_tracepoints, batch)
		tracepoint_free(tp);
	list_for_each_entry_safe(poke, next_poke, gone_pokes, swept)
		kfree(poke);
}

static void sweeper_run(struct work_struct *work)
{
	LIST_HEAD(gone_tracepoints);
	LIST_HEAD(gone_pokes);

	tracepoints_lock();
	list_splice_init(&swept_tracepoints, &gone_tracepoints);
	list_splice_init(&swept_pokes, &gone_pokes);
	tracepoints_unlock();
	if (list_empty(&gone_tracepoints) && list_empty(&gone_pokes))
		return;
	compat_uprobe_sync();	/* no handler runs with what was unregistered */
	sweep(&gone_tracepoints, &gone_pokes);
}

void patcher_exit(void)
{
	patcher_kick();
	flush_work(&patcher);
	flush_work(&sweeper);
}
