// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fasttrap_tracepoint.c - places in files that somebody wants to be told of, and the breakpoints
 * there.
 *
 * A tracepoint is one uprobe consumer for all processes. Which of them get the breakpoint is for
 * its filter to say, and the filter looks for a member: so does the handler when a breakpoint is
 * hit. Uprobes asks the filter when the consumer comes, when it goes, and when a file is mapped;
 * to have it asked again for a set that has changed, a second consumer (the poke) comes and goes.
 *
 * The patcher is the one worker that calls uprobes. It takes what is dirty under the tracepoint
 * lock, works without any lock, and notes the results. Consumers that are gone are left to the
 * sweeper, which waits for their handlers.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "fasttrap_impl.h"

#define BREAKPOINT	0xcc

static DEFINE_MUTEX(tracepoint_lock);
static DEFINE_HASHTABLE(tracepoints, 12);
static LIST_HEAD(tracepoints_dirty);
static struct rhashtable members;

static u64 notes_made;			/* tracepoint lock: how often a tracepoint was made dirty */
static u64 notes_done;			/* read without: up to which note all is done */
static DECLARE_WAIT_QUEUE_HEAD(notes_wait);
static void patcher_run(struct work_struct *work);
static DECLARE_WORK(patcher, patcher_run);
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

static LIST_HEAD(swept_pokes);		/* tracepoint lock, and the next */
static LIST_HEAD(swept_tracepoints);

void tracepoints_lock(void)
{
	mutex_lock(&tracepoint_lock);
}

void tracepoints_unlock(void)
{
	mutex_unlock(&tracepoint_lock);
}

/* ---- members ---- */

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

/*
 * RCU, or interrupts off, which is as good; rhashtable wants to see the former. Most tracepoints
 * have one member only, or the newest is the one that is hit.
 */
static __always_inline struct fasttrap_member *member_lookup(struct fasttrap_tracepoint *tp,
							     struct mm_struct *mm)
{
	struct fasttrap_member_key key = { .tracepoint = tp, .mm = mm };
	struct fasttrap_member *member = rcu_dereference_check(tp->newest, irqs_disabled());

	if (member && member->key.mm == mm)
		return member;
	rcu_read_lock();
	member = rhashtable_lookup(&members, &key, member_params);
	rcu_read_unlock();
	return member;
}

/* Tracepoint lock, which keeps what is found. */
static struct fasttrap_member *member_find(struct fasttrap_tracepoint *tp, struct mm_struct *mm)
{
	struct fasttrap_member *member;

	rcu_read_lock();
	member = member_lookup(tp, mm);
	rcu_read_unlock();
	return member;
}

static struct fasttrap_member *member_create(struct fasttrap_tracepoint *tp, struct mm_struct *mm)
{
	struct fasttrap_member *member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	int error;

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
	tp->nmembers++;
	return member;
}

/* A process whose memory is gone has no breakpoints that must be taken out. */
static bool memory_alive(struct mm_struct *mm)
{
	return !mm || atomic_read(&mm->mm_users);
}

static void member_destroy(struct fasttrap_member *member)
{
	struct fasttrap_tracepoint *tp = member->key.tracepoint;

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
	member->key.tracepoint->nmembers--;
	if (memory_alive(member->key.mm))
		WRITE_ONCE(member->leaving, true);
	else
		member_destroy(member);
}

static void member_return(struct fasttrap_member *member)
{
	member->key.tracepoint->nmembers++;
	WRITE_ONCE(member->leaving, false);
	WRITE_ONCE(member->patched, false);	/* the patcher may be taking it out right now */
	member->patching = false;
}

/* ---- hits ---- */

static void site_fire(const struct fasttrap_site *site, struct pt_regs *regs)
{
	struct dtrace_fire fire = {
		.regs = regs,
		.user = true,
		.bare = site->group->kind == FASTTRAP_ENTRY || site->group->kind == FASTTRAP_RETURN,
		.cookie = site,
	};

	if (site->desc->isenabled)
		regs->ax = 1;	/* the program asks whether it is traced */
	else
		dtrace_fire_within(site->group->probe->probe, &fire);
}

static bool site_ready(const struct fasttrap_site *site)
{
	return READ_ONCE(site->group->registration->process->ready);
}

/*
 * False: current is no member, or it is being adopted and has not got all its probes.
 *
 * A site may be attached and detached while this runs, and come back elsewhere before readers have
 * passed: then a hit at the very moment of enabling may be missed. Its memory stays until after a
 * grace period, and with interrupts off none ends.
 */
static __always_inline bool tracepoint_hit(struct fasttrap_tracepoint *tp, struct pt_regs *regs)
{
	struct fasttrap_member *member;
	struct fasttrap_site *site;
	bool ready = false;	/* a new member has no sites for a moment */
	unsigned long flags = port_fire_enter();

	member = member_lookup(tp, current->mm);
	if (member) {
		hlist_for_each_entry_rcu(site, &member->sites, in_member, irqs_disabled()) {
			ready = site_ready(site);
			if (!ready)
				break;
			if (site->desc->addr == instruction_pointer(regs))
				site_fire(site, regs);
		}
	}
	port_fire_exit(flags);
	return ready;
}

/* Sites of everybody: at this offset of this file, wherever it is mapped. False: there is none. */
static __always_inline bool tracepoint_hit_any(struct fasttrap_tracepoint *tp, struct pt_regs *regs)
{
	struct fasttrap_member *member;
	struct fasttrap_site *site;
	unsigned long flags;
	bool any;

	if (!rcu_access_pointer(tp->everybody))
		return false;
	flags = port_fire_enter();
	member = rcu_dereference_check(tp->everybody, irqs_disabled());
	any = member && !READ_ONCE(member->leaving);
	if (any)
		hlist_for_each_entry_rcu(site, &member->sites, in_member, irqs_disabled())
			site_fire(site, regs);
	port_fire_exit(flags);
	return any;
}

/*
 * A process that is no member: a fork child that has not been adopted yet, or one that has the
 * breakpoint from its parent but is not traced itself, or was until just now. Adoption makes the
 * members before the fork is done with; so if no fork waits, the second look sees what there is to
 * see. wanted: the breakpoint is everybody's besides. False: it has a right to it.
 */
static noinline bool tracepoint_stray(struct fasttrap_tracepoint *tp, struct pt_regs *regs,
				     bool wanted)
{
	bool waits = events_fork(current->mm) || (!wanted && events_lost());

	if (waits)
		process_adopt_current();
	if (((waits || !wanted) && tracepoint_hit(tp, regs)) || wanted)
		return false;
	atomic64_inc(&fasttrap_counts.stray_hits);
	return true;
}

/* In task context, interrupts on; 6.1 holds a lock that unregistering waits for. */
static COMPAT_UPROBE_HANDLER(tracepoint_handler, uc, regs)
{
	struct fasttrap_tracepoint *tp = container_of(uc, struct fasttrap_tracepoint, consumer);
	bool wanted;

	WRITE_ONCE(tp->hits, READ_ONCE(tp->hits) + 1);
	wanted = tracepoint_hit_any(tp, regs);
	if (!tracepoint_hit(tp, regs) && tracepoint_stray(tp, regs, wanted))
		return UPROBE_HANDLER_REMOVE;
	instruction_do(&tp->instruction, regs);
	return 0;
}

/* A semaphore of another is for the processes of one user. */
static bool member_fits(const struct fasttrap_tracepoint *tp, const struct fasttrap_member *member)
{
	return tp->place_ref == tp->ref ||
	       (member->key.mm && uid_eq(member->uid, tp->place_uid));
}

static bool member_stays(const struct fasttrap_tracepoint *tp, const struct fasttrap_member *member)
{
	return !READ_ONCE(member->leaving) && member_fits(tp, member);
}

/*
 * With mmap_lock of that process and a lock of uprobes. A stranger gets no breakpoint. But where
 * uprobes asks what it may take away, a stranger may be the child of a fork that is still under
 * way, or not adopted yet, and needs what it inherited. The patcher asks then. Who asks at the same
 * time because it maps the file gets nothing.
 */
static COMPAT_UPROBE_FILTER(tracepoint_filter, uc, mm)
{
	struct fasttrap_tracepoint *tp = container_of(uc, struct fasttrap_tracepoint, consumer);
	struct fasttrap_member *member, *everybody;
	bool wanted;

	rcu_read_lock();
	member = member_lookup(tp, mm);
	everybody = rcu_dereference(tp->everybody);
	wanted = member ? member_stays(tp, member) : READ_ONCE(tp->keeper) == current;
	wanted |= everybody && member_stays(tp, everybody);
	rcu_read_unlock();
	return wanted && !READ_ONCE(tp->hold);
}

static bool member_waits(const struct fasttrap_tracepoint *tp, const struct fasttrap_member *member)
{
	return member && member_stays(tp, member) && !READ_ONCE(member->patched);
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

/* ---- tracepoints ---- */

static struct fasttrap_tracepoint *tracepoint_find(const struct inode *inode, loff_t offset,
						   loff_t ref)
{
	struct fasttrap_tracepoint *tp;

	hash_for_each_possible(tracepoints, tp, hash, (unsigned long)inode + offset)
		if (tp->inode == inode && tp->offset == offset && tp->ref == ref)
			return tp;
	return NULL;
}

static void tracepoint_dirty(struct fasttrap_tracepoint *tp)
{
	notes_made++;
	if (list_empty(&tp->dirty))
		list_add_tail(&tp->dirty, &tracepoints_dirty);
}

static struct fasttrap_tracepoint *tracepoint_create(const struct fasttrap_file *file,
						     loff_t offset, loff_t ref)
{
	struct fasttrap_tracepoint *tp = kzalloc(sizeof(*tp), GFP_KERNEL_ACCOUNT);

	if (!tp)
		return NULL;
	tp->file = get_file(file->file);
	tp->inode = file->inode;
	tp->offset = offset;
	tp->ref = ref;
	tp->consumer.handler = tracepoint_handler;
	tp->consumer.filter = tracepoint_filter;
	INIT_LIST_HEAD(&tp->members);
	INIT_LIST_HEAD(&tp->dirty);
	INIT_LIST_HEAD(&tp->batch);
	hash_add(tracepoints, &tp->hash, (unsigned long)tp->inode + offset);
	return tp;
}

static void tracepoint_free(struct fasttrap_tracepoint *tp)
{
	fput(tp->file);
	kfree(tp);
}

/* ---- attaching sites [tracepoint lock] ---- */

/*
 * A fork child has its parent's breakpoints already, if the parent had them when it forked. Only
 * asked while current is adopting the process, with its memory, and while no patcher is at work on
 * the tracepoint.
 */
static bool site_inherited(const struct fasttrap_tracepoint *tp, const struct fasttrap_site *site)
{
	uint8_t byte;

	if (!process_inheriting(site->group->registration->process) || !list_empty(&tp->dirty) ||
	    !list_empty(&tp->batch))
		return false;
	return !copy_from_user_nofault(&byte, (const void __user *)(unsigned long)site->desc->addr,
				       1) &&
	       byte == BREAKPOINT;
}

static struct fasttrap_member *member_get(struct fasttrap_tracepoint *tp,
					  const struct fasttrap_site *site)
{
	struct mm_struct *mm = site->group->registration->process->mm;
	struct fasttrap_member *member = member_find(tp, mm);

	if (member && member->leaving)
		member_return(member);
	if (member)
		return member->nsites < FASTTRAP_MAXSHARE ? member : ERR_PTR(-ENOSPC);
	member = member_create(tp, mm);
	if (!IS_ERR(member)) {
		member->uid = site->group->registration->process->uid;
		member->patched = site_inherited(tp, site);
	}
	return member;
}

static const struct fasttrap_file *site_file(const struct fasttrap_site *site)
{
	return &site->group->registration->files[site->file];
}

static struct fasttrap_tracepoint *site_tracepoint(const struct fasttrap_site *site)
{
	return tracepoint_find(site_file(site)->inode, site->offset, site->ref);
}

int site_error(const struct fasttrap_site *site)
{
	struct fasttrap_tracepoint *tp = site_tracepoint(site);
	struct fasttrap_member *member =
		tp ? member_find(tp, site->group->registration->process->mm) : NULL;

	if (!member)
		return -ENOMEM;		/* there was none for it */
	return tp->error ?: member->error;
}

/* Is it at the first instruction of a function? */
static bool site_is_first(const struct fasttrap_site *site)
{
	enum fasttrap_kind kind = site->group->kind;
	const struct dtrace_helper_site *desc = site->desc;

	return kind == FASTTRAP_ENTRY ||
	       (kind == FASTTRAP_RETURN && !(desc->nlocs && desc->locs[0].al_disp));
}

/* In the order of kinds, and among equals behind the others. */
static void member_add_site(struct fasttrap_member *member, struct fasttrap_site *site)
{
	struct fasttrap_site *other, *last = NULL;

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

static int site_attach(struct fasttrap_site *site)
{
	struct fasttrap_tracepoint *tp = site_tracepoint(site);
	struct fasttrap_member *member;

	if (!tp)
		tp = tracepoint_create(site_file(site), site->offset, site->ref);
	if (!tp)
		return -ENOMEM;
	member = member_get(tp, site);
	tp->instruction.first |= site_is_first(site);
	if (IS_ERR(member) || !member->patched)
		tracepoint_dirty(tp);
	if (IS_ERR(member))
		return PTR_ERR(member);
	member_add_site(member, site);
	return 0;
}

static void site_detach(struct fasttrap_site *site)
{
	struct fasttrap_member *member = site->member;
	struct fasttrap_tracepoint *tp = member->key.tracepoint;

	site->member = NULL;
	hlist_del_rcu(&site->in_member);
	if (--member->nsites)
		return;
	if (memory_alive(member->key.mm) || tp->nmembers == 1)
		tracepoint_dirty(tp);
	member_leave(member);
}

void site_replace(struct fasttrap_site *from, struct fasttrap_site *to)
{
	to->member = from->member;
	hlist_replace_rcu(&from->in_member, &to->in_member);
	from->member = NULL;
}

void group_detach(struct fasttrap_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nsites; i++)
		if (group->sites[i].member)
			site_detach(&group->sites[i]);
}

int group_attach(struct fasttrap_group *group)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < group->nsites && !error; i++)
		if (!group->sites[i].again && !group->sites[i].member)
			error = site_attach(&group->sites[i]);
	if (error)
		group_detach(group);
	return error;
}

void fasttrap_probe_detach(struct fasttrap_probe *probe)
{
	struct fasttrap_group *group;

	list_for_each_entry(group, &probe->groups, in_probe)
		group_detach(group);
}

int fasttrap_probe_attach(struct fasttrap_probe *probe)
{
	struct fasttrap_group *group;
	int error = 0;

	list_for_each_entry(group, &probe->groups, in_probe) {
		error = group_attach(group);
		if (error)
			break;
	}
	if (error)
		fasttrap_probe_detach(probe);
	return error;
}

/* ---- the patcher ---- */

/* What it changes in tracepoints is its own, but for what is done under the lock. */

/*
 * Uprobes takes one semaphore for a place only, the first. Tracepoints without one put up with that
 * of another, but only for processes of one user, who has said too that it is a semaphore: it will be
 * counted up in them.
 */

/* [tracepoint lock] */
static bool tracepoint_has_user(const struct fasttrap_tracepoint *tp, kuid_t uid)
{
	const struct fasttrap_member *member;

	list_for_each_entry(member, &tp->members, all)
		if (member->key.mm && !member->leaving && uid_eq(member->uid, uid))
			return true;
	return false;
}

/* [tracepoint lock] Do all members fit where it is, or is to be? */
static bool tracepoint_fits(const struct fasttrap_tracepoint *tp)
{
	const struct fasttrap_member *member;

	list_for_each_entry(member, &tp->members, all)
		if (!member->leaving && !member_fits(tp, member))
			return false;
	return true;
}

/* [tracepoint lock] One user's processes only, and the user has the rival's semaphore too? */
static bool tracepoint_may_share(const struct fasttrap_tracepoint *tp,
				 const struct fasttrap_tracepoint *rival, kuid_t *uid)
{
	const struct fasttrap_member *member;
	bool any = false;

	list_for_each_entry(member, &tp->members, all) {
		if (member->leaving)
			continue;
		if (!member->key.mm || (any && !uid_eq(member->uid, *uid)))
			return false;
		*uid = member->uid;
		any = true;
	}
	return any && tracepoint_has_user(rival, *uid);
}

static bool tracepoint_still_fits(const struct fasttrap_tracepoint *tp)
{
	bool fits;

	tracepoints_lock();
	fits = tracepoint_fits(tp);
	tracepoints_unlock();
	return fits;
}

/*
 * One that is registered in the same place, but with another semaphore, or none: rather one that has
 * a semaphore of its own. Or NULL.
 */
static struct fasttrap_tracepoint *tracepoint_rival(const struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tracepoint *other, *found = NULL;

	tracepoints_lock();
	hash_for_each_possible(tracepoints, other, hash, (unsigned long)tp->inode + tp->offset)
		if (other != tp && other->inode == tp->inode && other->offset == tp->offset &&
		    other->registered && other->place_ref != tp->place_ref &&
		    (!found || other->ref))
			found = other;
	tracepoints_unlock();
	return found;
}

static void tracepoint_withdraw(struct fasttrap_tracepoint *tp)
{
	compat_uprobe_unregister(&tp->uprobe, &tp->consumer);
	compat_uprobe_sync();
	tp->registered = false;
}

/* It goes, so that one with a semaphore can come; it comes back with that. */
static void tracepoint_yield(struct fasttrap_tracepoint *tp)
{
	tracepoint_withdraw(tp);
	tracepoints_lock();
	tracepoint_dirty(tp);
	tracepoints_unlock();
}

/* False: the place has another semaphore. */
static bool tracepoint_settle_place(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tracepoint *rival;
	bool shares;
	kuid_t uid;

	tp->place_ref = tp->ref;
	rival = tracepoint_rival(tp);
	if (!rival)
		return true;
	tracepoints_lock();
	shares = tp->ref ? !rival->ref && tracepoint_may_share(rival, tp, &uid) :
			   tracepoint_may_share(tp, rival, &uid);
	tracepoints_unlock();
	if (!shares)
		return false;
	if (tp->ref) {
		tracepoint_yield(rival);
	} else {
		tp->place_uid = uid;
		tp->place_ref = rival->place_ref;
	}
	return true;
}

static int tracepoint_register(struct fasttrap_tracepoint *tp)
{
	int error = instruction_learn(&tp->instruction, tp->file, tp->offset);

	if (error)
		return error;
	error = compat_uprobe_register(&tp->uprobe, tp->inode, tp->offset, tp->place_ref,
				       &tp->consumer);
	tp->registered = !error;
	return error;
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
static int tracepoint_poke(struct fasttrap_tracepoint *tp, struct mm_struct *only)
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

/* The next member that the patcher has to do with, its memory held; NULL: no more. */
static struct fasttrap_member *member_next(struct fasttrap_tracepoint *tp, struct mm_struct **mm)
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
static void member_done(struct fasttrap_tracepoint *tp, struct mm_struct *mm, int error)
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
static void tracepoint_patch_each(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_member *member;
	struct mm_struct *mm = NULL;

	for (;;) {
		tracepoints_lock();
		member = member_next(tp, &mm);
		tracepoints_unlock();
		if (!member)
			return;
		member_done(tp, mm, tracepoint_poke(tp, mm));
	}
}

static int tracepoint_register_held(struct fasttrap_tracepoint *tp)
{
	int error;

	WRITE_ONCE(tp->hold, true);
	error = tracepoint_register(tp);
	WRITE_ONCE(tp->hold, false);
	if (!error)
		tracepoint_patch_each(tp);
	return error;
}

static int tracepoint_patch(struct fasttrap_tracepoint *tp)
{
	int error;

	if (tp->registered && !tracepoint_still_fits(tp))
		tracepoint_withdraw(tp);
	if (!tp->registered) {
		if (!tracepoint_settle_place(tp))
			return -EBUSY;
		error = tracepoint_register(tp);
		return error ? tracepoint_register_held(tp) : 0;
	}
	error = tracepoint_poke(tp, NULL);
	if (error)
		tracepoint_patch_each(tp);
	return 0;
}

/* [tracepoint lock] Nobody wants it: uprobes will take out all breakpoints. */
static void tracepoint_doom(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_member *member, *next;

	tp->dying = true;
	hash_del(&tp->hash);
	list_for_each_entry_safe(member, next, &tp->members, all)
		member_destroy(member);
}

static void tracepoint_take(struct fasttrap_tracepoint *tp)
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

	list_for_each_entry_safe(tp, next, &tracepoints_dirty, dirty) {
		list_del_init(&tp->dirty);
		list_add_tail(&tp->batch, batch);
		if (tp->nmembers)
			tracepoint_take(tp);
		else
			tracepoint_doom(tp);
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
			tp->error = tracepoint_patch(tp);
			atomic64_inc(tp->error ? &fasttrap_counts.patch_errors
					       : &fasttrap_counts.patches);
			cond_resched();
		}
}

/* [tracepoint lock] */
static void patcher_settle(struct fasttrap_tracepoint *tp)
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

/* [tracepoint lock] Its place is free: one that was refused for it may try again. */
static void tracepoint_leave(const struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tracepoint *other;

	hash_for_each_possible(tracepoints, other, hash, (unsigned long)tp->inode + tp->offset)
		if (other->inode == tp->inode && other->offset == tp->offset &&
		    other->error == -EBUSY)
			tracepoint_dirty(other);
}

static void patcher_finish(struct list_head *batch)
{
	struct fasttrap_tracepoint *tp, *next;

	tracepoints_lock();
	list_for_each_entry_safe(tp, next, batch, batch) {
		list_del_init(&tp->batch);
		if (tp->dying) {
			tracepoint_leave(tp);
			list_add_tail(&tp->batch, &swept_tracepoints);
		} else {
			patcher_settle(tp);
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

/* ---- for others ---- */

void tracepoints_kick(void)
{
	queue_work(fasttrap_wq, &patcher);
}

void tracepoints_wait(void)
{
	u64 note;

	tracepoints_lock();
	note = notes_made;
	tracepoints_unlock();
	if (READ_ONCE(notes_done) >= note)
		return;
	tracepoints_kick();
	wait_event(notes_wait, READ_ONCE(notes_done) >= note);
}

/* ---- /proc/dtrace/fasttrap ---- */

static const char *tracepoint_state(const struct fasttrap_tracepoint *tp)
{
	if (!list_empty(&tp->dirty) || !list_empty(&tp->batch))
		return "changing";
	return tp->error == -EBUSY ? "contested" : tp->error ? "failed" : "on";
}

static int tracepoint_failures(const struct fasttrap_tracepoint *tp)
{
	const struct fasttrap_member *member;
	int error = tp->error;

	list_for_each_entry(member, &tp->members, all)
		error = error ?: member->error;
	return error;
}

#define SHOWN_PROVIDERS	8	/* of a tracepoint */

/* Names that have been shown, and how many were not. */
struct shown {
	const struct fasttrap_provider *providers[SHOWN_PROVIDERS];
	unsigned int n, left_out;
};

static void provider_show(struct seq_file *seq, const struct fasttrap_provider *provider,
			  struct shown *shown)
{
	unsigned int i;

	for (i = 0; i < shown->n; i++)
		if (shown->providers[i] == provider)
			return;
	if (shown->n == SHOWN_PROVIDERS) {
		shown->left_out++;
		return;
	}
	seq_printf(seq, "%s%s", shown->n ? "," : "", provider->name);
	shown->providers[shown->n++] = provider;
}

/* Providers have the numbers of their processes in their names. */
static void providers_show(struct seq_file *seq, const struct fasttrap_tracepoint *tp)
{
	const struct fasttrap_member *member;
	const struct fasttrap_site *site;
	struct shown shown = {};

	list_for_each_entry(member, &tp->members, all)
		hlist_for_each_entry(site, &member->sites, in_member)
			provider_show(seq, site->group->probe->provider, &shown);
	if (shown.left_out)
		seq_printf(seq, ",+%u", shown.left_out);
	seq_puts(seq, shown.n ? " " : "- ");
}

static int tracepoint_show(struct seq_file *seq, void *v)
{
	const struct fasttrap_tracepoint *tp = v;

	if (v == SEQ_START_TOKEN) {
		seq_puts(seq,
			 "STATE      ERROR PROCESSES       HITS       OFFSET    SEMAPHORE PROVIDERS FILE\n");
		return 0;
	}
	seq_printf(seq, "%-10s %5d %9u %10llu %#12llx ", tracepoint_state(tp),
		   tracepoint_failures(tp), tp->nmembers, (unsigned long long)READ_ONCE(tp->hits),
		   (unsigned long long)tp->offset);
	if (tp->ref)
		seq_printf(seq, "%#12llx ", (unsigned long long)tp->ref);
	else
		seq_printf(seq, "%12s ", "-");
	providers_show(seq, tp);
	seq_file_path(seq, tp->file, "\n\t\\ ");
	seq_putc(seq, '\n');
	return 0;
}

/* The n-th, counted over all buckets. */
static struct fasttrap_tracepoint *tracepoint_nth(loff_t n)
{
	struct fasttrap_tracepoint *tp;
	unsigned int bucket;

	hash_for_each(tracepoints, bucket, tp, hash)
		if (!n--)
			return tp;
	return NULL;
}

static void *tracepoint_start(struct seq_file *seq, loff_t *pos)
{
	tracepoints_lock();
	return *pos ? tracepoint_nth(*pos - 1) : SEQ_START_TOKEN;
}

/* After one in its bucket, or the first of the next bucket that has any. */
static void *tracepoint_after(const struct fasttrap_tracepoint *tp)
{
	struct hlist_node *node = tp->hash.next;
	unsigned int bucket =
		hash_min((unsigned long)tp->inode + tp->offset, HASH_BITS(tracepoints));

	while (!node && ++bucket < HASH_SIZE(tracepoints))
		node = tracepoints[bucket].first;
	return hlist_entry_safe(node, struct fasttrap_tracepoint, hash);
}

static void *tracepoint_next(struct seq_file *seq, void *v, loff_t *pos)
{
	++*pos;
	return v == SEQ_START_TOKEN ? tracepoint_nth(0) : tracepoint_after(v);
}

static void tracepoint_stop(struct seq_file *seq, void *v)
{
	tracepoints_unlock();
}

const struct seq_operations fasttrap_tracepoints_seq = {
	.start = tracepoint_start,
	.next = tracepoint_next,
	.stop = tracepoint_stop,
	.show = tracepoint_show,
};

/* ---- start and end ---- */

int tracepoints_init(void)
{
	return rhashtable_init(&members, &member_params);
}

void tracepoints_exit(void)
{
	tracepoints_kick();
	flush_work(&patcher);
	flush_work(&sweeper);
	rhashtable_destroy(&members);
}
