// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tracepoint.c - tracepoints, their mms, and the sites that are attached to them.
 *
 * A tracepoint is one uprobe consumer for all processes. Its filter selects the processes that get
 * the breakpoint: those with a tp_mm. A hit finds its sites in the same tp_mm.
 *
 * The tracepoint lock protects all data here. Hits and the filter find tp_mms and their sites under
 * RCU. uprobe.c registers and unregisters the uprobe consumer without a lock.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "tracepoint.h"
#include "permission.h"
#include "port.h"
#include "process/mapping.h"

#define BREAKPOINT 0xcc

static DEFINE_MUTEX(tracepoint_lock);
DEFINE_HASHTABLE(fasttrap_tracepoints, FASTTRAP_TP_HASH_BITS);
static siphash_key_t tracepoint_secret __read_mostly;
static void *tracepoint_uncharged; /* by the lock's owner: of port_uncharged_begin() */

void fasttrap_tracepoints_lock(void)
{
	mutex_lock(&tracepoint_lock);
	tracepoint_uncharged = port_uncharged_begin();
}

void fasttrap_tracepoints_unlock(void)
{
	port_uncharged_end(tracepoint_uncharged);
	mutex_unlock(&tracepoint_lock);
}

void fasttrap_tracepoints_assert_locked(void)
{
	lockdep_assert_held(&tracepoint_lock);
}

/* ---- the limit for each file ---- */

/*
 * Uprobes looks at all tracepoints of a file whenever a process maps it. A user who sets a
 * breakpoint at each instruction of the C library would make every program on the machine start
 * many times slower. So the number that a user may have in other users' files is limited: enough
 * for the functions of most programs, and so few that others start in about twice the time at most.
 * Small files have relatively more, since functions can be small.
 */
#define FILE_SITES_LEAST 1024
/*
 * The number of locations for each MiB of another user's file at which a user may have breakpoints,
 * in addition to FILE_SITES_LEAST. Written at any time.
 */
static unsigned int fasttrap_file_sites = 2048;
module_param_named(user_file_sites, fasttrap_file_sites, uint, 0644);
MODULE_PARM_DESC(
	user_file_sites,
	"locations for each MiB of a file of others that one user may have breakpoints at, and 1024");

struct fasttrap_file_load {
	struct hlist_node hash;
	const struct inode *inode;
	struct dtrace_account *account; /* counted */
	unsigned int n;			/* tracepoints; with none it is freed */
};

static DEFINE_HASHTABLE(file_loads, 10); /* tracepoint lock */

/*
 * Return whether a site of the account may pass limits: root's may, and root may also set any
 * breakpoints in the processes of users. But the worker that makes copies for fork children, a
 * kernel thread with all rights, may not.
 */
static bool tracepoint_is_unlimited(const struct dtrace_account *account)
{
	return dtrace_account_privileged(account) ||
	       (!(current->flags & PF_KTHREAD) && permission_unlimited());
}

/*
 * Count a new tracepoint for its user in its file, unless it may pass limits, or the file is the
 * user's own (by the owner of the inode, whichever mount it was opened by). Return -EDQUOT or
 * -ENOMEM.
 */
static int tracepoint_count(struct fasttrap_tracepoint *tp, struct dtrace_account *account)
{
	unsigned long max = FILE_SITES_LEAST + (unsigned long)(i_size_read(tp->inode) >> 10) *
						       READ_ONCE(fasttrap_file_sites) / 1024;
	struct fasttrap_file_load *load;

	fasttrap_tracepoints_assert_locked();
	if (tracepoint_is_unlimited(account) ||
	    from_kuid(&init_user_ns, tp->inode->i_uid) == dtrace_account_uid(account))
		return 0;
	hash_for_each_possible(file_loads, load, hash, fasttrap_tracepoint_key(tp->inode, 0))
		if (load->inode == tp->inode && load->account == account)
			goto found;
	load = kzalloc(sizeof(*load), GFP_KERNEL_ACCOUNT);
	if (!load)
		return -ENOMEM;
	load->inode = tp->inode;
	load->account = dtrace_account_ref(account);
	hash_add(file_loads, &load->hash, fasttrap_tracepoint_key(tp->inode, 0));
found:
	if (load->n >= max)
		return -EDQUOT;
	load->n++;
	tp->load = load;
	return 0;
}

void fasttrap_tracepoint_uncount(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_file_load *load = tp->load;

	fasttrap_tracepoints_assert_locked();
	tp->load = NULL;
	if (!load || --load->n)
		return;
	hash_del(&load->hash);
	dtrace_account_put(load->account);
	kfree(load);
}

/* ---- tracepoints ---- */

unsigned long fasttrap_tracepoint_key(const struct inode *inode, loff_t offset)
{
	return siphash_2u64((unsigned long)inode, offset, &tracepoint_secret);
}

/*
 * Return whether uprobes may insert the breakpoint in the process, or must leave it there. Called
 * with the process's mmap_lock and a lock of uprobes.
 *
 * Processes without a tp_mm get no breakpoint. But if uprobes asks in order to remove breakpoints,
 * such a process may be a fork child whose fork is still under way, or without copies yet, which
 * needs its inherited breakpoints. In this case the worker asks. Other callers, which ask at the
 * same time because they map the file, get none.
 */
static COMPAT_UPROBE_FILTER(tracepoint_filter, uc, mm)
{
	struct fasttrap_tracepoint *tp = container_of(uc, struct fasttrap_tracepoint, consumer);
	struct fasttrap_tp_mm *tp_mm, *system_wide;
	bool granted;

	rcu_read_lock();
	tp_mm = fasttrap_tp_mm_search(tp, mm);
	system_wide = rcu_dereference(tp->system_wide);
	granted = tp_mm ? fasttrap_refctr_grants(tp, tp_mm) : READ_ONCE(tp->reapplying) == current;
	granted |= system_wide && fasttrap_refctr_grants(tp, system_wide);
	rcu_read_unlock();
	return granted && READ_ONCE(tp->consumer_state) != FASTTRAP_CONSUMER_QUIET;
}

/*
 * Create a tracepoint for the user of the account. Return -ENOMEM, or -EDQUOT if the user has too
 * many in the file, as ERR_PTR.
 */
static struct fasttrap_tracepoint *tracepoint_create(const struct fasttrap_file *file,
						     loff_t offset, loff_t refctr,
						     struct dtrace_account *account)
{
	struct fasttrap_tracepoint *tp = kzalloc(sizeof(*tp), GFP_KERNEL_ACCOUNT);
	int error;

	fasttrap_tracepoints_assert_locked();
	if (!tp)
		return ERR_PTR(-ENOMEM);
	tp->inode = file->inode;
	error = tracepoint_count(tp, account);
	if (error) {
		kfree(tp);
		return ERR_PTR(error);
	}
	kref_init(&tp->kref);
	tp->account = dtrace_account_ref(account);
	tp->file = get_file(file->file);
	tp->offset = offset;
	tp->refctr = refctr;
	tp->limited = true;
	tp->consumer.handler = fasttrap_hit;
	tp->consumer.filter = tracepoint_filter;
	INIT_LIST_HEAD(&tp->mms);
	INIT_LIST_HEAD(&tp->jobs);
	INIT_LIST_HEAD(&tp->taken);
	INIT_LIST_HEAD(&tp->batch);
	hash_add(fasttrap_tracepoints, &tp->hash, fasttrap_tracepoint_key(tp->inode, offset));
	return tp;
}

struct fasttrap_tracepoint *fasttrap_tracepoint_get(struct fasttrap_tracepoint *tp)
{
	kref_get(&tp->kref);
	return tp;
}

static void tracepoint_free(struct kref *kref)
{
	struct fasttrap_tracepoint *tp = container_of(kref, struct fasttrap_tracepoint, kref);

	fput(tp->file);
	dtrace_account_put(tp->account);
	kfree(tp);
}

void fasttrap_tracepoint_put(struct fasttrap_tracepoint *tp)
{
	kref_put(&tp->kref, tracepoint_free);
}

/* ---- the table of tp_mms ---- */

static struct rhashtable tp_mms;

/*
 * Hash a key, as each hit does. The keys are addresses of the kernel, so a cheap hash is good
 * enough.
 */
static u32 tp_mm_hash(const void *data, u32 len, u32 seed)
{
	const struct fasttrap_tp_mm_key *key = data;

	return hash_64((unsigned long)key->tp ^ seed, 32) ^ hash_ptr(key->mm, 32);
}

static u32 tp_mm_hash_object(const void *data, u32 len, u32 seed)
{
	const struct fasttrap_tp_mm *tp_mm = data;

	return tp_mm_hash(&tp_mm->key, len, seed);
}

static int tp_mm_compare(struct rhashtable_compare_arg *arg, const void *object)
{
	const struct fasttrap_tp_mm_key *key = arg->key;
	const struct fasttrap_tp_mm *tp_mm = object;

	return key->tp != tp_mm->key.tp || key->mm != tp_mm->key.mm;
}

static const struct rhashtable_params tp_mm_params = {
	.head_offset = offsetof(struct fasttrap_tp_mm, hash),
	.key_offset = offsetof(struct fasttrap_tp_mm, key),
	.key_len = sizeof(struct fasttrap_tp_mm_key),
	.hashfn = tp_mm_hash,
	.obj_hashfn = tp_mm_hash_object,
	.obj_cmpfn = tp_mm_compare,
	.automatic_shrinking = true,
};

/* Interrupts off are as good as RCU, but rhashtable checks for the latter. */
struct fasttrap_tp_mm *fasttrap_tp_mm_search(struct fasttrap_tracepoint *tp, struct mm_struct *mm)
{
	struct fasttrap_tp_mm_key key = {.tp = tp, .mm = mm};
	struct fasttrap_tp_mm *tp_mm;

	rcu_read_lock();
	tp_mm = rhashtable_lookup(&tp_mms, &key, tp_mm_params);
	rcu_read_unlock();
	return tp_mm;
}

int fasttrap_tracepoints_init(void)
{
	get_random_bytes(&tracepoint_secret, sizeof(tracepoint_secret));
	return rhashtable_init(&tp_mms, &tp_mm_params);
}

void fasttrap_tracepoints_exit(void)
{
	rhashtable_destroy(&tp_mms);
}

/* ---- tp_mms and their states ---- */

/*
 * Create a tp_mm that is PENDING, without sites. uid: of the process. Return -ENOMEM and the like
 * as ERR_PTR.
 */
static struct fasttrap_tp_mm *tp_mm_create(struct fasttrap_tracepoint *tp, struct mm_struct *mm,
					   kuid_t uid)
{
	struct fasttrap_tp_mm *tp_mm = kzalloc(sizeof(*tp_mm), GFP_KERNEL_ACCOUNT);
	int error;

	fasttrap_tracepoints_assert_locked();
	if (!tp_mm)
		return ERR_PTR(-ENOMEM);
	tp_mm->key.tp = tp;
	tp_mm->key.mm = mm;
	tp_mm->uid = uid;
	tp_mm->state = FASTTRAP_TP_MM_PENDING;
	INIT_HLIST_HEAD(&tp_mm->sites);
	error = rhashtable_insert_fast(&tp_mms, &tp_mm->hash, tp_mm_params);
	if (error) {
		kfree(tp_mm);
		return ERR_PTR(error);
	}
	if (mm) /* a tp_mm may outlive its process, and no later mm may have its address */
		mmgrab(mm);
	list_add_tail(&tp_mm->all, &tp->mms);
	if (mm)
		rcu_assign_pointer(tp->newest, tp_mm);
	else
		rcu_assign_pointer(tp->system_wide, tp_mm);
	WRITE_ONCE(tp->nmms, tp->nmms + 1);
	return tp_mm;
}

/* Free a tp_mm that has neither sites nor a breakpoint. */
static void tp_mm_free(struct fasttrap_tp_mm *tp_mm)
{
	struct fasttrap_tracepoint *tp = tp_mm->key.tp;

	fasttrap_tracepoints_assert_locked();
	if (rcu_access_pointer(tp->newest) == tp_mm)
		RCU_INIT_POINTER(tp->newest, NULL);
	if (rcu_access_pointer(tp->system_wide) == tp_mm)
		RCU_INIT_POINTER(tp->system_wide, NULL);
	rhashtable_remove_fast(&tp_mms, &tp_mm->hash, tp_mm_params);
	list_del(&tp_mm->all);
	if (tp_mm->key.mm)
		mmdrop(tp_mm->key.mm);
	kfree_rcu(tp_mm, rcu);
}

/*
 * LEAVING or REMOVING to PENDING: it is about to get a site. The worker may just remove the
 * breakpoint.
 */
static void tp_mm_return(struct fasttrap_tp_mm *tp_mm)
{
	struct fasttrap_tracepoint *tp = tp_mm->key.tp;

	fasttrap_tracepoints_assert_locked();
	WRITE_ONCE(tp->nmms, tp->nmms + 1);
	WRITE_ONCE(tp_mm->state, FASTTRAP_TP_MM_PENDING);
}

/*
 * Any state to LEAVING: it has no sites any more. It stays in the table until the breakpoint is
 * removed, so that the filter can tell it from an unknown process. A process whose memory is gone
 * has no breakpoints that must be removed.
 */
static void tp_mm_leave(struct fasttrap_tp_mm *tp_mm)
{
	struct fasttrap_tracepoint *tp = tp_mm->key.tp;
	bool alive = !tp_mm->key.mm || atomic_read(&tp_mm->key.mm->mm_users);

	fasttrap_tracepoints_assert_locked();
	WRITE_ONCE(tp->nmms, tp->nmms - 1);
	if (alive)
		WRITE_ONCE(tp_mm->state, FASTTRAP_TP_MM_LEAVING);
	else
		tp_mm_free(tp_mm);
	if (alive || !tp->nmms)
		fasttrap_uprobe_queue(tp);
}

void fasttrap_tp_mm_begin(struct fasttrap_tp_mm *tp_mm)
{
	fasttrap_tracepoints_assert_locked();
	if (tp_mm->state == FASTTRAP_TP_MM_PENDING)
		WRITE_ONCE(tp_mm->state, FASTTRAP_TP_MM_INSERTING);
	else if (tp_mm->state == FASTTRAP_TP_MM_LEAVING)
		WRITE_ONCE(tp_mm->state, FASTTRAP_TP_MM_REMOVING);
}

void fasttrap_tp_mm_finish(struct fasttrap_tp_mm *tp_mm, int error)
{
	fasttrap_tracepoints_assert_locked();
	if (tp_mm->state == FASTTRAP_TP_MM_INSERTING) {
		tp_mm->error = error;
		WRITE_ONCE(tp_mm->state, FASTTRAP_TP_MM_APPLIED);
	} else if (tp_mm->state == FASTTRAP_TP_MM_REMOVING) {
		tp_mm_free(tp_mm);
	}
}

/*
 * A tracepoint that no mm wants loses all its breakpoints anyway, perhaps later, and may have left
 * the table.
 */
void fasttrap_tp_mm_remove_current(struct fasttrap_tracepoint *tp)
{
	unsigned long refused = READ_ONCE(tp->refused);
	struct fasttrap_tp_mm *tp_mm;

	if (!READ_ONCE(tp->nmms) || (refused && time_before(jiffies, refused + MAPPING_LOOK)))
		return;
	if (fasttrap_tp_mm_search(tp, current->mm))
		return; /* the worker has been asked */
	fasttrap_tracepoints_lock();
	if (tp->nmms && !fasttrap_tp_mm_search(tp, current->mm)) {
		tp_mm = tp_mm_create(tp, current->mm,
				     permission_owner(current_cred(), current->mm));
		if (!IS_ERR(tp_mm))
			tp_mm_leave(tp_mm);
	}
	fasttrap_tracepoints_unlock();
	fasttrap_uprobe_kick();
}

void fasttrap_tracepoint_remove(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tp_mm *tp_mm, *next;

	fasttrap_tracepoints_assert_locked();
	hash_del(&tp->hash);
	list_for_each_entry_safe(tp_mm, next, &tp->mms, all)
		tp_mm_free(tp_mm);
}

/* ---- sites ---- */

static struct fasttrap_tracepoint *site_tracepoint(const struct fasttrap_site *site)
{
	const struct inode *inode = site->group->registration->files[site->file].inode;
	struct fasttrap_tracepoint *tp;

	fasttrap_tracepoints_assert_locked();
	for_each_tracepoint_at(tp, inode, site->offset)
		if (tp->refctr == site->refctr)
			return tp;
	return NULL;
}

int fasttrap_site_error(const struct fasttrap_site *site)
{
	struct fasttrap_tracepoint *tp = site_tracepoint(site);
	struct fasttrap_tp_mm *tp_mm =
		tp ? fasttrap_tp_mm_search(tp, site->group->registration->process->mm) : NULL;

	fasttrap_tracepoints_assert_locked();
	if (!tp_mm)
		return -ENOMEM; /* there was none for it */
	return tp->error ?: tp_mm->error;
}

/* Return whether the site is at the first instruction of a function. */
static bool site_is_first(const struct fasttrap_site *site)
{
	enum fasttrap_kind kind = site->group->kind;
	const struct dtrace_helper_site *desc = site->desc;

	return kind == FASTTRAP_ENTRY ||
	       (kind == FASTTRAP_OFFSET && !strcmp(site->group->desc->name, "0")) ||
	       (kind == FASTTRAP_RETURN && !(desc->nlocs && desc->locs[0].al_disp));
}

/*
 * Return whether a fork child has inherited the breakpoint: its parent had it when it forked. Asked
 * while the child gets its copies with its memory in use, and while the worker does nothing there.
 */
static bool site_is_inherited(const struct fasttrap_tracepoint *tp,
			      const struct fasttrap_site *site)
{
	const void __user *addr = (const void __user *)(unsigned long)site->desc->addr;
	uint8_t byte;

	return fasttrap_fork_is_copying(site->group->registration->process) &&
	       tp->state == FASTTRAP_TP_IDLE && !copy_from_user_nofault(&byte, addr, 1) &&
	       byte == BREAKPOINT;
}

/*
 * Attach a site to the tracepoint of its location. Sites of a tp_mm are in the order of their
 * kinds, behind others of the same kind. Return -ENOMEM, -EDQUOT or -ENOSPC.
 */
static int site_attach(struct fasttrap_site *site)
{
	const struct fasttrap_registration *r = site->group->registration;
	struct fasttrap_tracepoint *tp = site_tracepoint(site);
	struct fasttrap_site *other, *last = NULL;
	struct fasttrap_tp_mm *tp_mm;

	if (!tp)
		tp = tracepoint_create(&r->files[site->file], site->offset, site->refctr,
				       r->account);
	if (IS_ERR(tp))
		return PTR_ERR(tp);
	tp->instruction.first |= site_is_first(site);
	if (tracepoint_is_unlimited(r->account))
		WRITE_ONCE(tp->limited, false);
	tp_mm = fasttrap_tp_mm_search(tp, r->process->mm);
	if (!tp_mm) {
		tp_mm = tp_mm_create(tp, r->process->mm, r->process->uid);
		if (IS_ERR(tp_mm)) {
			fasttrap_uprobe_queue(tp); /* it may have no mms: it is retired then */
			return PTR_ERR(tp_mm);
		}
		if (site_is_inherited(tp, site))
			WRITE_ONCE(tp_mm->state, FASTTRAP_TP_MM_APPLIED);
	} else if (fasttrap_tp_mm_is_leaving(tp_mm)) {
		tp_mm_return(tp_mm);
	}
	if (tp_mm->nsites >= FASTTRAP_MAXSHARE)
		return -ENOSPC;
	if (tp_mm->state != FASTTRAP_TP_MM_APPLIED)
		fasttrap_uprobe_queue(tp);
	hlist_for_each_entry(other, &tp_mm->sites, in_tp_mm)
		if (other->group->kind <= site->group->kind)
			last = other;
	if (last)
		hlist_add_behind_rcu(&site->in_tp_mm, &last->in_tp_mm);
	else
		hlist_add_head_rcu(&site->in_tp_mm, &tp_mm->sites);
	site->tp_mm = tp_mm;
	tp_mm->nsites++;
	return 0;
}

void fasttrap_site_replace(struct fasttrap_site *from, struct fasttrap_site *to)
{
	fasttrap_tracepoints_assert_locked();
	to->tp_mm = from->tp_mm;
	hlist_replace_rcu(&from->in_tp_mm, &to->in_tp_mm);
	from->tp_mm = NULL;
}

void fasttrap_group_detach(struct fasttrap_group *group)
{
	struct fasttrap_tp_mm *tp_mm;
	unsigned int i;

	fasttrap_tracepoints_assert_locked();
	for (i = 0; i < group->nsites; i++) {
		tp_mm = group->sites[i].tp_mm;
		if (!tp_mm)
			continue;
		group->sites[i].tp_mm = NULL;
		hlist_del_rcu(&group->sites[i].in_tp_mm);
		if (!--tp_mm->nsites)
			tp_mm_leave(tp_mm);
	}
}

int fasttrap_group_attach(struct fasttrap_group *group)
{
	unsigned int i;
	int error = 0;

	fasttrap_tracepoints_assert_locked();
	for (i = 0; i < group->nsites && !error; i++)
		if (!group->sites[i].duplicate && !group->sites[i].tp_mm)
			error = site_attach(&group->sites[i]);
	if (error)
		fasttrap_group_detach(group);
	return error;
}

void fasttrap_probe_detach(struct fasttrap_probe *probe)
{
	struct fasttrap_group *group;

	fasttrap_tracepoints_assert_locked();
	list_for_each_entry(group, &probe->groups, in_probe)
		fasttrap_group_detach(group);
}

int fasttrap_probe_attach(struct fasttrap_probe *probe)
{
	struct fasttrap_group *group;
	int error = 0;

	fasttrap_tracepoints_assert_locked();
	list_for_each_entry(group, &probe->groups, in_probe) {
		error = fasttrap_group_attach(group);
		if (error)
			break;
	}
	if (error)
		fasttrap_probe_detach(probe);
	return error;
}
