// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tracepoint.c - places in files that somebody wants to be told of.
 *
 * A tracepoint is one uprobe consumer for all processes. Which of them get the breakpoint is for
 * its filter to say, and the filter looks for a member: so does the handler when a breakpoint is
 * hit.
 *
 * Tracepoints are made, found and listed under the tracepoint lock. That the consumer comes and
 * goes is the patcher's, which holds no lock then.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "tracepoint.h"
#include "dev/permission.h"

/*
 * Uprobes asks about each tracepoint of a file whenever anybody maps that: a user who sets a breakpoint at each
 * instruction of the C library makes every program of everybody start many times slower. So what a user may
 * have in a file of others is bounded: enough for the functions of most programs, and so little that others
 * start in about twice the time at most. Of a small file more, since functions can be small.
 */
#define FILE_SITES_LEAST	1024
unsigned int fasttrap_file_sites = 2048;	/* for each MiB of the file, besides */

struct file_load {
	struct hlist_node hash;
	const struct inode *inode;
	struct dtrace_account *account;		/* counted */
	unsigned int n;				/* tracepoints; with none it is freed */
};

static DEFINE_MUTEX(tracepoint_lock);
DEFINE_HASHTABLE(tracepoints, TRACEPOINT_HASH_BITS);
static DEFINE_HASHTABLE(file_loads, 10);	/* tracepoint lock */
static siphash_key_t tracepoint_secret __read_mostly;

void tracepoints_lock(void)
{
	mutex_lock(&tracepoint_lock);
}

void tracepoints_unlock(void)
{
	mutex_unlock(&tracepoint_lock);
}

void lockdep_assert_tracepoints(void)
{
	lockdep_assert_held(&tracepoint_lock);
}

/* ---- the filter ---- */

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
	wanted = member ? place_keeps(tp, member) : READ_ONCE(tp->keeper) == current;
	wanted |= everybody && place_keeps(tp, everybody);
	rcu_read_unlock();
	return wanted && !READ_ONCE(tp->hold);
}

/* ---- how many there are in a file ---- */

/* As the kernel has it for the inode, whichever mount it was opened by. */
static bool file_is_own(const struct inode *inode, const struct dtrace_account *account)
{
	return from_kuid(&init_user_ns, inode->i_uid) == dtrace_account_uid(account);
}

/* The count of a user in a file, or NULL. */
static struct file_load *load_find(const struct inode *inode, const struct dtrace_account *account)
{
	struct file_load *load;

	lockdep_assert_tracepoints();
	hash_for_each_possible(file_loads, load, hash, tracepoint_key(inode, 0))
		if (load->inode == inode && load->account == account)
			return load;
	return NULL;
}

static unsigned long load_most(const struct inode *inode)
{
	return FILE_SITES_LEAST +
	       (unsigned long)(i_size_read(inode) >> 10) * READ_ONCE(fasttrap_file_sites) / 1024;
}

/*
 * May the caller have any number? Root may, in the processes of users too. The worker that copies what a
 * fork child has from its parent has all rights as well, but is nobody's tracer.
 */
static bool caller_is_unlimited(void)
{
	return !(current->flags & PF_KTHREAD) && permission_unlimited();
}

/* Count one more, but for root's. 0, -EDQUOT or -ENOMEM. */
static int tracepoint_count(struct fasttrap_tracepoint *tp, struct dtrace_account *account)
{
	struct file_load *load;

	lockdep_assert_tracepoints();
	if (dtrace_account_privileged(account) || caller_is_unlimited() || file_is_own(tp->inode, account))
		return 0;
	load = load_find(tp->inode, account);
	if (load && load->n >= load_most(tp->inode))
		return -EDQUOT;
	if (!load) {
		load = kzalloc(sizeof(*load), GFP_KERNEL_ACCOUNT);
		if (!load)
			return -ENOMEM;
		load->inode = tp->inode;
		load->account = dtrace_account_ref(account);
		hash_add(file_loads, &load->hash, tracepoint_key(tp->inode, 0));
	}
	load->n++;
	tp->load = load;
	return 0;
}

void tracepoint_uncount(struct fasttrap_tracepoint *tp)
{
	struct file_load *load = tp->load;

	lockdep_assert_tracepoints();
	tp->load = NULL;
	if (!load || --load->n)
		return;
	hash_del(&load->hash);
	dtrace_account_put(load->account);
	kfree(load);
}

/* ---- one tracepoint ---- */

unsigned long tracepoint_key(const struct inode *inode, loff_t offset)
{
	return siphash_2u64((unsigned long)inode, offset, &tracepoint_secret);
}

void tracepoints_init(void)
{
	get_random_bytes(&tracepoint_secret, sizeof(tracepoint_secret));
}

struct fasttrap_tracepoint *tracepoint_find(const struct inode *inode, loff_t offset, loff_t ref)
{
	struct fasttrap_tracepoint *tp;

	lockdep_assert_tracepoints();
	for_each_tracepoint_at(tp, inode, offset)
		if (tp->ref == ref)
			return tp;
	return NULL;
}

struct fasttrap_tracepoint *tracepoint_create(const struct fasttrap_file *file, loff_t offset,
					      loff_t ref, struct dtrace_account *account)
{
	struct fasttrap_tracepoint *tp = kzalloc(sizeof(*tp), GFP_KERNEL_ACCOUNT);
	int error;

	lockdep_assert_tracepoints();
	if (!tp)
		return ERR_PTR(-ENOMEM);
	tp->inode = file->inode;
	error = tracepoint_count(tp, account);
	if (error) {
		kfree(tp);
		return ERR_PTR(error);
	}
	kref_init(&tp->kref);
	tp->file = get_file(file->file);
	tp->offset = offset;
	tp->ref = ref;
	tp->consumer.handler = hit_handler;
	tp->consumer.filter = tracepoint_filter;
	INIT_LIST_HEAD(&tp->members);
	INIT_LIST_HEAD(&tp->notes);
	INIT_LIST_HEAD(&tp->taken);
	INIT_LIST_HEAD(&tp->batch);
	hash_add(tracepoints, &tp->hash, tracepoint_key(tp->inode, offset));
	return tp;
}

struct fasttrap_tracepoint *tracepoint_get(struct fasttrap_tracepoint *tp)
{
	kref_get(&tp->kref);
	return tp;
}

static void tracepoint_free(struct kref *kref)
{
	struct fasttrap_tracepoint *tp = container_of(kref, struct fasttrap_tracepoint, kref);

	fput(tp->file);
	kfree(tp);
}

void tracepoint_put(struct fasttrap_tracepoint *tp)
{
	kref_put(&tp->kref, tracepoint_free);
}

bool tracepoint_is_changing(const struct fasttrap_tracepoint *tp)
{
	lockdep_assert_tracepoints();
	return !list_empty(&tp->notes) || !list_empty(&tp->taken) || !list_empty(&tp->batch);
}

/* ---- its consumer ---- */

int tracepoint_register(struct fasttrap_tracepoint *tp)
{
	int error = tp->unlearnable;

	if (error)
		return error;
	error = compat_uprobe_register(&tp->uprobe, tp->inode, tp->offset, tp->place_ref,
				       &tp->consumer);
	tp->registered = !error;
	return error;
}

void tracepoint_withdraw(struct fasttrap_tracepoint *tp)
{
	compat_uprobe_unregister(&tp->uprobe, &tp->consumer);
	compat_uprobe_sync();
	tp->registered = false;
}
