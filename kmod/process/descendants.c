// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * descendants.c - processes whose descendants are followed, and those, however deep and
 * whatever they execute: from the watch on until it ends.
 *
 * The scheduler's tracepoints of fork and exit keep the members, with preemption off, in memory
 * that was there before. A member is a process, by its thread group's struct pid, which outlives it
 * here: it leaves with its last thread.
 *
 * All is family_lock's, a raw spin lock; a holder's is taken under it.
 */
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "stop_impl.h"

#define FAMILY_MEMBERS	1024	/* that live at once */

struct family_member {
	struct hlist_node by_pid;
	struct list_head list;		/* one of its family's */
	const struct pid *pid;		/* not counted */
	struct hold_family *family;
};

struct hold_family {
	struct fasttrap_holder *holder;
	struct pid *root;		/* counted */
	struct list_head free, living;
	struct family_member members[FAMILY_MEMBERS];
};

static DEFINE_RAW_SPINLOCK(family_lock);
static DEFINE_HASHTABLE(family_members, 8);
static unsigned int nfamilies;		/* read without the lock, to have nothing to do quickly */

/* ---- members ---- */

/* [family_lock] */
static struct family_member *member_find(const struct hold_family *family, const struct pid *pid)
{
	struct family_member *member;

	lockdep_assert_held(&family_lock);
	hash_for_each_possible(family_members, member, by_pid, (unsigned long)pid)
		if (member->pid == pid && member->family == family)
			return member;
	return NULL;
}

/* [family_lock] Who finds no room is no member, nor are its descendants. */
static void member_add(struct hold_family *family, const struct pid *pid)
{
	struct family_member *member =
		list_first_entry_or_null(&family->free, struct family_member, list);

	lockdep_assert_held(&family_lock);
	if (!member) {
		hold_note_missed(family->holder);
		return;
	}
	member->pid = pid;
	list_move(&member->list, &family->living);
	hash_add(family_members, &member->by_pid, (unsigned long)pid);
}

/* [family_lock] */
static void member_drop(struct family_member *member)
{
	lockdep_assert_held(&family_lock);
	hash_del(&member->by_pid);
	list_move(&member->list, &member->family->free);
}

/* ---- what becomes of processes ---- */

void families_note_fork(struct task_struct *parent, struct task_struct *child)
{
	const struct pid *from = task_tgid(parent), *to = task_tgid(child);
	struct family_member *member;

	if (!READ_ONCE(nfamilies) || from == to)
		return;
	raw_spin_lock(&family_lock);
	hash_for_each_possible(family_members, member, by_pid, (unsigned long)from)
		if (member->pid == from)
			member_add(member->family, to);
	raw_spin_unlock(&family_lock);
}

void families_note_exit(struct task_struct *task)
{
	const struct pid *pid = task_tgid(task);
	struct family_member *member;
	struct hlist_node *next;

	if (!READ_ONCE(nfamilies) || atomic_read(&task->signal->live))
		return;
	raw_spin_lock(&family_lock);
	hash_for_each_possible_safe(family_members, member, next, by_pid, (unsigned long)pid)
		if (member->pid == pid)
			member_drop(member);
	raw_spin_unlock(&family_lock);
}

/* ---- what is asked ---- */

bool family_has(const struct hold_family *family, const struct pid *pid)
{
	bool has;

	raw_spin_lock(&family_lock);
	has = member_find(family, pid);
	raw_spin_unlock(&family_lock);
	return has;
}

bool families_have(const struct fasttrap_holder *holder, const struct pid *pid)
{
	const struct family_member *member;
	bool have = false;

	if (!READ_ONCE(nfamilies))
		return false;
	raw_spin_lock(&family_lock);
	hash_for_each_possible(family_members, member, by_pid, (unsigned long)pid)
		have |= member->pid == pid && member->family->holder == holder;
	raw_spin_unlock(&family_lock);
	return have;
}

/* [family_lock, RCU] */
static pid_t root_find(const struct pid *pid, unsigned int n, struct pid_namespace *pid_ns)
{
	const struct family_member *member;
	pid_t number;

	lockdep_assert_held(&family_lock);
	hash_for_each_possible(family_members, member, by_pid, (unsigned long)pid) {
		number = member->pid == pid ? pid_nr_ns(member->family->root, pid_ns) : 0;
		if (number && !n--)
			return number;
	}
	return 0;
}

pid_t families_root(pid_t pid, unsigned int n, struct pid_namespace *pid_ns)
{
	pid_t number;

	if (!READ_ONCE(nfamilies))
		return 0;
	rcu_read_lock();
	raw_spin_lock(&family_lock);
	number = root_find(find_pid_ns(pid, &init_pid_ns), n, pid_ns ?: &init_pid_ns);
	raw_spin_unlock(&family_lock);
	rcu_read_unlock();
	return number;
}

/* ---- families ---- */

static void family_fill(struct hold_family *family)
{
	unsigned int i;

	INIT_LIST_HEAD(&family->free);
	INIT_LIST_HEAD(&family->living);
	for (i = 0; i < FAMILY_MEMBERS; i++) {
		family->members[i].family = family;
		list_add_tail(&family->members[i].list, &family->free);
	}
}

struct hold_family *family_create(struct fasttrap_holder *holder, struct pid *root)
{
	struct hold_family *family;

	if (holder_charge(holder, sizeof(*family)))
		return ERR_PTR(-EDQUOT);
	family = kvzalloc(sizeof(*family), GFP_KERNEL_ACCOUNT);
	if (!family) {
		holder_uncharge(holder, sizeof(*family));
		return ERR_PTR(-ENOMEM);
	}
	family_fill(family);
	family->holder = holder;
	family->root = get_pid(root);
	raw_spin_lock(&family_lock);
	WRITE_ONCE(nfamilies, nfamilies + 1);
	member_add(family, root);
	raw_spin_unlock(&family_lock);
	return family;
}

void family_destroy(struct hold_family *family)
{
	struct family_member *member, *next;

	if (!family)
		return;
	raw_spin_lock(&family_lock);
	list_for_each_entry_safe(member, next, &family->living, list)
		member_drop(member);
	WRITE_ONCE(nfamilies, nfamilies - 1);
	raw_spin_unlock(&family_lock);
	put_pid(family->root);
	holder_uncharge(family->holder, sizeof(*family));
	kvfree(family);
}
