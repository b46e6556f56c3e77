// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * descendants.c - the descendants of processes whose forks a tracer follows, however deep and
 * whatever they execute.
 *
 * The scheduler's tracepoints of fork and exit run with preemption off, so all memory is allocated
 * when following begins. A descendant is a process, identified by the struct pid of its thread
 * group. It is removed with its last thread, before the struct pid is freed.
 *
 * descendants_lock protects all data here. A tracer's lock is taken under it.
 *
 * Each fork, exec and exit of any process searches a table here, however many processes other users
 * follow. Therefore an exec, which asks each stop point, searches only that stop point's own table.
 */
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "descendants.h"
#include "stop_impl.h"

#define DESCENDANTS_MAX	     1024 /* that are alive at a time */
#define DESCENDANTS_BITS     12	  /* of the table of all */
#define DESCENDANTS_OWN_BITS 8	  /* of the table of one stop point's */

struct descendant {
	struct hlist_node by_pid;
	struct hlist_node own; /* in the table of its stop point */
	struct list_head list; /* in free or living */
	const struct pid *pid; /* not counted */
	struct descendants *of;
};

struct descendants {
	struct stop_tracer *tracer;
	struct pid *root; /* counted */
	struct list_head free, living;
	DECLARE_HASHTABLE(own, DESCENDANTS_OWN_BITS);
	struct descendant all[DESCENDANTS_MAX];
};

static DEFINE_RAW_SPINLOCK(descendants_lock);
static DEFINE_HASHTABLE(descendants_by_pid, DESCENDANTS_BITS);
static unsigned int descendants_roots; /* read without the lock: 0 is the fast path */

/* ---- forks and exits ---- */

/* Add a process. If there is no free element, neither it nor its descendants are followed. */
static void descendant_add(struct descendants *d, const struct pid *pid)
	__must_hold(&descendants_lock)
{
	struct descendant *one = list_first_entry_or_null(&d->free, struct descendant, list);

	lockdep_assert_held(&descendants_lock);
	if (!one) {
		stop_tracer_note_missed(d->tracer);
		return;
	}
	one->pid = pid;
	list_move(&one->list, &d->living);
	hash_add(descendants_by_pid, &one->by_pid, (unsigned long)pid);
	hash_add(d->own, &one->own, (unsigned long)pid);
}

static void descendant_remove(struct descendant *one) __must_hold(&descendants_lock)
{
	lockdep_assert_held(&descendants_lock);
	hash_del(&one->by_pid);
	hash_del(&one->own);
	list_move(&one->list, &one->of->free);
}

void descendants_note_fork(struct task_struct *parent, struct task_struct *child)
{
	const struct pid *from = task_tgid(parent), *to = task_tgid(child);
	struct descendant *one;

	if (!READ_ONCE(descendants_roots) || from == to)
		return;
	raw_spin_lock(&descendants_lock);
	hash_for_each_possible(descendants_by_pid, one, by_pid, (unsigned long)from)
		if (one->pid == from)
			descendant_add(one->of, to);
	raw_spin_unlock(&descendants_lock);
}

void descendants_note_exit(struct task_struct *task)
{
	const struct pid *pid = task_tgid(task);
	struct descendant *one;
	struct hlist_node *next;

	if (!READ_ONCE(descendants_roots) || atomic_read(&task->signal->live))
		return;
	raw_spin_lock(&descendants_lock);
	hash_for_each_possible_safe(descendants_by_pid, one, next, by_pid, (unsigned long)pid)
		if (one->pid == pid)
			descendant_remove(one);
	raw_spin_unlock(&descendants_lock);
}

/* ---- queries ---- */

bool descendants_have(const struct descendants *d, const struct pid *pid)
{
	const struct descendant *one;
	bool found = false;

	raw_spin_lock(&descendants_lock);
	hash_for_each_possible(d->own, one, own, (unsigned long)pid)
		found |= one->pid == pid;
	raw_spin_unlock(&descendants_lock);
	return found;
}

bool descendants_of_tracer(const struct stop_tracer *tracer, const struct pid *pid)
{
	const struct descendant *one;
	bool found = false;

	if (!READ_ONCE(descendants_roots))
		return false;
	raw_spin_lock(&descendants_lock);
	hash_for_each_possible(descendants_by_pid, one, by_pid, (unsigned long)pid)
		found |= one->pid == pid && one->of->tracer == tracer;
	raw_spin_unlock(&descendants_lock);
	return found;
}

pid_t descendants_root(pid_t nr, unsigned int n, struct pid_namespace *pid_ns)
{
	const struct descendant *one;
	const struct pid *pid;
	pid_t root = 0;

	if (!READ_ONCE(descendants_roots))
		return 0;
	rcu_read_lock();
	raw_spin_lock(&descendants_lock);
	pid = find_pid_ns(nr, &init_pid_ns);
	hash_for_each_possible(descendants_by_pid, one, by_pid, (unsigned long)pid) {
		root = one->pid == pid ? pid_nr_ns(one->of->root, pid_ns ?: &init_pid_ns) : 0;
		if (root && !n--)
			break;
		root = 0;
	}
	raw_spin_unlock(&descendants_lock);
	rcu_read_unlock();
	return root;
}

/* ---- begin and end ---- */

struct descendants *descendants_create(struct stop_tracer *tracer, struct pid *root)
{
	struct descendants *d;
	unsigned int i;

	if (stop_tracer_charge(tracer, sizeof(*d)))
		return ERR_PTR(-EDQUOT);
	d = kvzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
	if (!d) {
		stop_tracer_uncharge(tracer, sizeof(*d));
		return ERR_PTR(-ENOMEM);
	}
	INIT_LIST_HEAD(&d->free);
	INIT_LIST_HEAD(&d->living);
	hash_init(d->own);
	for (i = 0; i < DESCENDANTS_MAX; i++) {
		d->all[i].of = d;
		list_add_tail(&d->all[i].list, &d->free);
	}
	d->tracer = tracer;
	d->root = get_pid(root);
	raw_spin_lock(&descendants_lock);
	WRITE_ONCE(descendants_roots, descendants_roots + 1);
	descendant_add(d, root);
	raw_spin_unlock(&descendants_lock);
	return d;
}

void descendants_destroy(struct descendants *d)
{
	struct descendant *one, *next;

	if (!d)
		return;
	raw_spin_lock(&descendants_lock);
	list_for_each_entry_safe(one, next, &d->living, list)
		descendant_remove(one);
	WRITE_ONCE(descendants_roots, descendants_roots - 1);
	raw_spin_unlock(&descendants_lock);
	put_pid(d->root);
	stop_tracer_uncharge(d->tracer, sizeof(*d));
	kvfree(d);
}
