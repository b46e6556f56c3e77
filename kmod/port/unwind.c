// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * unwind.c - the unwind tables from consumers, and where processes have mapped their files.
 *
 * A session has a mutex for its tables and processes: with very many of them a request takes long,
 * and only other requests of the session wait. Under it comes unwind_lock, a leaf, which is held
 * for a moment while the tables of all processes change, or a session is made. No thread waits for
 * firings while it holds either. A firing finds the maps of a process under RCU by its address
 * space, or, for the child of a known process, by the image that it runs: a fork copies
 * mm->exe_file and mm->start_stack, and exec makes new ones. Both are only compared, never
 * followed, so no reference is needed.
 *
 * Maps are replaced as a whole. Tables stay until their session ends or needs their memory. A later
 * request of their session frees both after a grace period. Until then they count as memory of the
 * session's user, so a user who replaces them very often has to wait, and the machine's memory is
 * safe.
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>
#include <dtrace/unwind.h>

#include "permission.h"
#include "stats.h"
#include "unwind.h"

#define UNWIND_HASH_BITS    12
#define UNWIND_MISSING_BITS 8		   /* as many elements as DTRACE_UNWIND_MAXMISSING */
#define UNWIND_MISSING_AGE  (HZ / 20 ?: 1) /* jiffies until a process is noted again */
#define UNWIND_PRUNE	    64		   /* new processes between two searches for ended ones */

struct unwind_table {
	struct dtrace_unwind_table table; /* its parts lie behind */
	u32 id;
	size_t bytes;
	unsigned int nusers;	  /* mappings of processes */
	struct list_head dropped; /* in the session's dropped_tables */
	dtrace_unwind_rule_t rules[];
};

struct unwind_maps {
	struct list_head dropped; /* in the session's dropped_maps */
	size_t bytes;
	struct dtrace_unwind_maps maps;
};

struct unwind_process {
	struct hlist_node by_mm, by_image; /* unwind_lock, RCU */
	struct list_head all;		   /* in the session, the oldest first */
	struct mm_struct *mm;		   /* counted, so that its address is not used again */
	const void *exe;		   /* mm->exe_file */
	unsigned long stack;		   /* mm->start_stack */
	struct unwind_maps __rcu *maps;
	struct rcu_head rcu;
};

struct unwind_session {
	struct dtrace_account *account; /* counted; charged for bytes */
	struct mutex lock;		/* all below */
	struct xarray tables;
	struct list_head processes;
	unsigned int nprocesses, nadded;
	size_t bytes; /* of tables and maps, dropped ones too */
	/* what firings may still use, and the grace period after which they do not */
	struct list_head dropped_tables, dropped_maps;
	unsigned long grace_period; /* read without the lock */
	u32 asked;		    /* jiffies of the last unwind_get_missing() */
};

static DEFINE_MUTEX(unwind_lock);
static DEFINE_HASHTABLE(unwind_by_mm, UNWIND_HASH_BITS);
static DEFINE_HASHTABLE(unwind_by_image, UNWIND_HASH_BITS);
static unsigned int unwind_nsessions; /* unwind_lock; firings read it: is there any table? */
static atomic64_t unwind_ntables, unwind_nbytes, unwind_nprocesses, unwind_refused;
/* processes whose stacks need tables: the number, and above it the jiffies of the note */
static u64 unwind_missing[1 << UNWIND_MISSING_BITS];

/* ---- firings ---- */

/* Return a key for the image that a process runs. */
static unsigned long image_key(const void *exe, unsigned long stack)
{
	return (unsigned long)exe ^ stack;
}

/* Return the process with an address space, or NULL. [RCU] */
static struct unwind_process *process_of_mm(const struct mm_struct *mm)
{
	struct unwind_process *p;

	hash_for_each_possible_rcu_notrace(unwind_by_mm, p, by_mm, (unsigned long)mm)
		if (p->mm == mm)
			return p;
	return NULL;
}

/* Return a process that runs the same image as mm, or NULL. [RCU] */
static struct unwind_process *process_of_image(const struct mm_struct *mm)
{
	const void *exe = rcu_access_pointer(mm->exe_file);
	unsigned long stack = READ_ONCE(mm->start_stack);
	struct unwind_process *p;

	hash_for_each_possible_rcu_notrace(unwind_by_image, p, by_image, image_key(exe, stack))
		if (p->exe == exe && p->stack == stack)
			return p;
	return NULL;
}

const struct dtrace_unwind_maps *unwind_maps(const struct mm_struct *mm)
{
	const struct unwind_process *p;
	const struct unwind_maps *maps;

	if (!READ_ONCE(unwind_nsessions))
		return NULL;
	p = process_of_mm(mm) ?: process_of_image(mm);
	maps = p ? rcu_dereference_check(p->maps, true) : NULL;
	return maps ? &maps->maps : NULL;
}

void unwind_note_missing(void)
{
	u64 *note = &unwind_missing[hash_32(current->tgid, UNWIND_MISSING_BITS)], was;
	u32 now = (u32)jiffies;

	if (!READ_ONCE(unwind_nsessions))
		return;
	was = READ_ONCE(*note);
	if ((u32)was != (u32)current->tgid || now - (u32)(was >> 32) >= UNWIND_MISSING_AGE)
		WRITE_ONCE(*note, (u64)now << 32 | (u32)current->tgid);
}

/* ---- memory of a session [session's lock] ---- */

/* Uncharge bytes. */
static void session_give_bytes(struct unwind_session *session, size_t bytes)
	__must_hold(&session->lock)
{
	lockdep_assert_held(&session->lock);
	dtrace_account_uncharge(session->account, DTRACE_RES_BYTES, bytes);
	session->bytes -= bytes;
	atomic64_sub(bytes, &unwind_nbytes);
}

/* ---- tables [session's lock] ---- */

/* Uncharge and free a table, which no firing uses. */
static void table_free(struct unwind_session *session, struct unwind_table *t)
	__must_hold(&session->lock)
{
	lockdep_assert_held(&session->lock);
	session_give_bytes(session, t->bytes);
	atomic64_dec(&unwind_ntables);
	kvfree(t);
}

/*
 * Drop the tables that no process uses any more; all: every table. Firings may still use old maps.
 */
static void tables_drop(struct unwind_session *session, bool all) __must_hold(&session->lock)
{
	struct unwind_table *t;
	unsigned long id;
	bool any = false;

	lockdep_assert_held(&session->lock);
	xa_for_each(&session->tables, id, t) {
		cond_resched();
		if (!all && t->nusers)
			continue;
		xa_erase(&session->tables, id);
		list_add(&t->dropped, &session->dropped_tables);
		any = true;
	}
	if (any)
		WRITE_ONCE(session->grace_period, start_poll_synchronize_rcu());
}

/* ---- processes [session's lock] ---- */

/* Add change to the number of users of each table in maps. [session's lock] */
static void maps_count_users(const struct unwind_maps *maps, int change)
{
	unsigned int i;

	for (i = 0; i < maps->maps.n; i++)
		if (maps->maps.list[i].table)
			container_of(maps->maps.list[i].table, struct unwind_table, table)
				->nusers += change;
}

/*
 * Replace the maps of a process by new, which may be NULL. The caller has counted the users of its
 * tables, and charged its bytes.
 */
static void maps_publish(struct unwind_session *session, struct unwind_process *p,
			 struct unwind_maps *new) __must_hold(&session->lock)
{
	struct unwind_maps *old =
		rcu_replace_pointer(p->maps, new, lockdep_is_held(&session->lock));

	lockdep_assert_held(&session->lock);
	if (old) {
		maps_count_users(old, -1);
		list_add(&old->dropped, &session->dropped_maps);
		WRITE_ONCE(session->grace_period, start_poll_synchronize_rcu());
	}
}

/* Free all that has been dropped, if no firing uses any of it any more. */
static void dropped_free(struct unwind_session *session) __must_hold(&session->lock)
{
	struct unwind_table *t, *next_t;
	struct unwind_maps *m, *next_m;

	lockdep_assert_held(&session->lock);
	if (!poll_state_synchronize_rcu(session->grace_period))
		return;
	list_for_each_entry_safe(t, next_t, &session->dropped_tables, dropped) {
		list_del(&t->dropped);
		table_free(session, t);
		cond_resched();
	}
	list_for_each_entry_safe(m, next_m, &session->dropped_maps, dropped) {
		list_del(&m->dropped);
		session_give_bytes(session, m->bytes);
		kvfree(m);
	}
}

/* Forget a process and drop its maps. */
static void process_drop(struct unwind_session *session, struct unwind_process *p)
	__must_hold(&session->lock)
{
	lockdep_assert_held(&session->lock);
	mutex_lock(&unwind_lock);
	hash_del_rcu(&p->by_mm);
	hash_del_rcu(&p->by_image);
	mutex_unlock(&unwind_lock);
	list_del(&p->all);
	maps_publish(session, p, NULL);
	session->nprocesses--;
	atomic64_dec(&unwind_nprocesses);
	dtrace_account_uncharge(session->account, DTRACE_RES_UNWOUND, 1);
	mmdrop(p->mm);
	kfree_rcu(p, rcu);
}

/* Forget the processes that have ended. */
static void processes_prune(struct unwind_session *session) __must_hold(&session->lock)
{
	struct unwind_process *p, *next;

	lockdep_assert_held(&session->lock);
	list_for_each_entry_safe(p, next, &session->processes, all)
		if (!atomic_read(&p->mm->mm_users))
			process_drop(session, p);
}

/* Return the process of a session with an address space, or NULL. */
static struct unwind_process *process_find(struct unwind_session *session,
					   const struct mm_struct *mm) __must_hold(&session->lock)
{
	struct unwind_process *p;

	lockdep_assert_held(&session->lock);
	list_for_each_entry(p, &session->processes, all)
		if (p->mm == mm)
			return p;
	return NULL;
}

/* Add a process without maps, which has been charged; NULL: no memory, and it is uncharged. */
static struct unwind_process *process_add(struct unwind_session *session, struct mm_struct *mm)
	__must_hold(&session->lock)
{
	struct unwind_process *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);

	lockdep_assert_held(&session->lock);
	if (!p) {
		dtrace_account_uncharge(session->account, DTRACE_RES_UNWOUND, 1);
		return NULL;
	}
	mmgrab(mm);
	p->mm = mm;
	p->exe = rcu_access_pointer(mm->exe_file);
	p->stack = READ_ONCE(mm->start_stack);
	list_add_tail(&p->all, &session->processes);
	mutex_lock(&unwind_lock);
	hash_add_rcu(unwind_by_mm, &p->by_mm, (unsigned long)mm);
	hash_add_rcu(unwind_by_image, &p->by_image, image_key(p->exe, p->stack));
	mutex_unlock(&unwind_lock);
	session->nprocesses++;
	atomic64_inc(&unwind_nprocesses);
	return p;
}

/*
 * Charge the user for one more process if neither the session nor the user has too many: a firing
 * may have to look at all that are in one chain of the table. Return whether it is charged.
 */
static bool processes_try(struct unwind_session *session) __must_hold(&session->lock)
{
	lockdep_assert_held(&session->lock);
	return session->nprocesses < DTRACE_UNWIND_MAXPROCS &&
	       !dtrace_account_charge(session->account, DTRACE_RES_UNWOUND, 1, NULL, 0);
}

/*
 * Charge one more process. If there are too many, forget processes that have ended, else the
 * session's oldest process. -ENOSPC: other sessions of the user have reached the limit.
 */
static int processes_charge(struct unwind_session *session) __must_hold(&session->lock)
{
	lockdep_assert_held(&session->lock);
	if (session->nadded++ % UNWIND_PRUNE == 0)
		processes_prune(session);
	if (processes_try(session))
		return 0;
	processes_prune(session);
	if (processes_try(session))
		return 0;
	if (!list_empty(&session->processes))
		process_drop(session,
			     list_first_entry(&session->processes, struct unwind_process, all));
	if (processes_try(session))
		return 0;
	atomic64_inc(&unwind_refused);
	return -ENOSPC;
}

/*
 * Charge bytes to a session and its user. -EAGAIN: the session or its user would pass a limit, but
 * unused processes and tables have been dropped, and are free after session_wait(). -ENOSPC: the
 * same, and nothing is to be freed.
 */
static int session_take_bytes(struct unwind_session *session, size_t bytes)
	__must_hold(&session->lock)
{
	lockdep_assert_held(&session->lock);
	dropped_free(session);
	if (session->bytes + bytes <= DTRACE_UNWIND_MAXBYTES &&
	    !dtrace_account_charge(session->account, DTRACE_RES_BYTES, bytes, NULL, 0)) {
		session->bytes += bytes;
		atomic64_add(bytes, &unwind_nbytes);
		return 0;
	}
	processes_prune(session);
	tables_drop(session, false);
	if (!list_empty(&session->dropped_tables) || !list_empty(&session->dropped_maps))
		return -EAGAIN;
	atomic64_inc(&unwind_refused);
	return -ENOSPC;
}

/*
 * Wait until no firing uses what a session has dropped so far. No lock. 0, or -EINTR: a fatal
 * signal is pending.
 */
static int session_wait(const struct unwind_session *session)
{
	cond_synchronize_rcu(READ_ONCE(session->grace_period));
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/* ---- sessions ---- */

/* Allocate a session. NULL: no memory. No lock. */
static struct unwind_session *session_create(struct dtrace_account *account)
{
	struct unwind_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (!session)
		return NULL;
	mutex_init(&session->lock);
	xa_init_flags(&session->tables, XA_FLAGS_ALLOC);
	INIT_LIST_HEAD(&session->processes);
	INIT_LIST_HEAD(&session->dropped_tables);
	INIT_LIST_HEAD(&session->dropped_maps);
	session->grace_period = get_state_synchronize_rcu();
	session->asked = (u32)jiffies;
	session->account = dtrace_account_ref(account);
	return session;
}

/* Return the session of an open file, which is made at first use; NULL: no memory. No lock. */
static struct unwind_session *session_get(struct unwind_session **at,
					  struct dtrace_account *account)
{
	struct unwind_session *session = smp_load_acquire(at), *new;

	if (session)
		return session;
	new = session_create(account);
	if (!new)
		return NULL;
	mutex_lock(&unwind_lock);
	session = *at;
	if (!session) {
		WRITE_ONCE(unwind_nsessions, unwind_nsessions + 1);
		smp_store_release(at, new);
	}
	mutex_unlock(&unwind_lock);
	if (!session)
		return new;
	dtrace_account_put(new->account); /* another thread has made it */
	kfree(new);
	return session;
}

/*
 * Take the lock of the session of an open file, which is made at first use, and return the session.
 * -ENOMEM or -EINTR as ERR_PTR.
 */
static struct unwind_session *session_lock(struct unwind_session **at,
					   struct dtrace_account *account)
{
	struct unwind_session *session = session_get(at, account);

	if (!session)
		return ERR_PTR(-ENOMEM);
	return mutex_lock_killable(&session->lock) ? ERR_PTR(-EINTR) : session;
}

void unwind_close(struct unwind_session *session)
{
	struct unwind_process *p, *next;

	if (!session)
		return;
	mutex_lock(&session->lock);
	list_for_each_entry_safe(p, next, &session->processes, all)
		process_drop(session, p);
	tables_drop(session, true);
	mutex_unlock(&session->lock);
	mutex_lock(&unwind_lock);
	WRITE_ONCE(unwind_nsessions, unwind_nsessions - 1);
	mutex_unlock(&unwind_lock);
	if (!list_empty(&session->dropped_tables) || !list_empty(&session->dropped_maps))
		session_wait(session);
	mutex_lock(&session->lock);
	dropped_free(session);
	mutex_unlock(&session->lock);
	xa_destroy(&session->tables);
	dtrace_account_put(session->account);
	kfree(session);
}

/* ---- charging in advance ---- */

/*
 * Charge bytes to a session, which is made at first use, and to its user. This happens before
 * anything is allocated, so that a user whose memory is slow to be read cannot hold more than the
 * limit. -ENOSPC, -ENOMEM. -EINTR: a fatal signal is pending.
 */
static int session_reserve(struct unwind_session **at, struct dtrace_account *account, size_t bytes)
{
	struct unwind_session *session;
	int error;

	do {
		session = session_lock(at, account);
		if (IS_ERR(session))
			return PTR_ERR(session);
		error = session_take_bytes(session, bytes);
		mutex_unlock(&session->lock);
	} while (error == -EAGAIN && !(error = session_wait(session)));
	return error;
}

/* ---- a table from user land ---- */

/* Return the bytes of a table, whose numbers of rows and rules are within the limits. */
static size_t table_bytes(const struct dtrace_unwind_load *load)
{
	return sizeof(struct unwind_table) + load->dtul_nrules * sizeof(dtrace_unwind_rule_t) +
	       load->dtul_nrows * (sizeof(u32) + sizeof(u16));
}

/* Copy and verify a table. bytes: from table_bytes(). -ENOMEM, -EFAULT or -EINVAL as ERR_PTR. */
static struct unwind_table *table_read(const struct dtrace_unwind_load *load, size_t bytes)
{
	struct unwind_table *t = kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	int error = -EFAULT;
	u32 *addrs;
	u16 *index;

	if (!t)
		return ERR_PTR(-ENOMEM);
	t->bytes = bytes;
	addrs = (u32 *)(t->rules + load->dtul_nrules);
	index = (u16 *)(addrs + load->dtul_nrows);
	t->table = (struct dtrace_unwind_table){
		addrs, index, t->rules, load->dtul_nrows, load->dtul_nrules, load->dtul_word};
	if (copy_from_user(t->rules, u64_to_user_ptr(load->dtul_rules),
			   load->dtul_nrules * sizeof(*t->rules)) ||
	    copy_from_user(addrs, u64_to_user_ptr(load->dtul_addrs),
			   load->dtul_nrows * sizeof(*addrs)) ||
	    copy_from_user(index, u64_to_user_ptr(load->dtul_index),
			   load->dtul_nrows * sizeof(*index)))
		goto fail;
	error = dtrace_unwind_verify(&t->table);
	if (error)
		goto fail;
	return t;

fail:
	kvfree(t);
	return ERR_PTR(error);
}

int unwind_add_table(struct unwind_session **at, struct dtrace_account *account,
		     const void __user *from)
{
	struct dtrace_unwind_load load;
	struct unwind_session *session;
	struct unwind_table *t;
	size_t bytes;
	int error, id;

	if (copy_from_user(&load, from, sizeof(load)))
		return -EFAULT;
	if (load.dtul_nrows > DTRACE_UNWIND_MAXROWS || load.dtul_nrules > DTRACE_UNWIND_MAXRULES)
		return -E2BIG;
	if (load.dtul_pad)
		return -EINVAL;
	bytes = table_bytes(&load);
	error = session_reserve(at, account, bytes);
	if (error)
		return error;
	session = *at;
	t = table_read(&load, bytes);
	if (IS_ERR(t)) {
		error = PTR_ERR(t);
		goto unreserve;
	}
	error = mutex_lock_killable(&session->lock);
	if (error)
		goto free;
	error = xa_alloc(&session->tables, &t->id, t, XA_LIMIT(0, INT_MAX), GFP_KERNEL_ACCOUNT);
	if (!error)
		atomic64_inc(&unwind_ntables);
	id = (int)t->id; /* without the lock, the table may be freed */
	mutex_unlock(&session->lock);
	if (!error)
		return id;
free:
	kvfree(t);
unreserve:
	mutex_lock(&session->lock);
	session_give_bytes(session, bytes);
	mutex_unlock(&session->lock);
	return error;
}

/* ---- maps from user land ---- */

/*
 * Fill in maps, charge them, and give them to a process, which is added if it is new. The tables
 * have users before memory is charged, so that they are not freed for that. -EINVAL: a mapping is
 * invalid, or not above the one before it. -ENOENT: there is no such table. -EAGAIN, -ENOSPC,
 * -ENOMEM. On an error, maps are still the caller's. [session's lock]
 */
static int maps_give(struct unwind_session *session, struct mm_struct *mm, struct unwind_maps *maps,
		     const struct dtrace_unwind_mapping *from) __must_hold(&session->lock)
{
	struct dtrace_unwind_map *to = maps->maps.list;
	struct unwind_process *p;
	unsigned int i;
	int error;

	lockdep_assert_held(&session->lock);
	for (i = 0; i < maps->maps.n; i++, from++, to++) {
		const struct unwind_table *t = NULL;

		if (from->dtum_end <= from->dtum_start || from->dtum_pad || from->dtum_table < -1 ||
		    (i && from->dtum_start < to[-1].end))
			return -EINVAL;
		if (from->dtum_table >= 0) {
			t = xa_load(&session->tables, from->dtum_table);
			if (!t)
				return -ENOENT;
		}
		*to = (struct dtrace_unwind_map){from->dtum_start, from->dtum_end, from->dtum_bias,
						 t ? &t->table : NULL};
	}
	maps_count_users(maps, 1);
	error = session_take_bytes(session, maps->bytes);
	if (error)
		goto no_bytes;
	p = process_find(session, mm);
	if (!p) {
		error = processes_charge(session);
		if (error)
			goto no_process;
		error = -ENOMEM;
		p = process_add(session, mm);
		if (!p)
			goto no_process;
	}
	maps_publish(session, p, maps);
	return 0;

no_process:
	session_give_bytes(session, maps->bytes);
no_bytes:
	maps_count_users(maps, -1);
	return error;
}

/* Return the bytes to allocate for n mappings. */
static size_t maps_size(unsigned int n)
{
	return offsetof(struct unwind_maps, maps.list) + n * sizeof(struct dtrace_unwind_map);
}

/* Return the bytes to charge for n mappings: with the process, and the mm_struct that it keeps. */
static size_t maps_bytes(unsigned int n)
{
	return maps_size(n) + sizeof(struct unwind_process) + sizeof(struct mm_struct);
}

/* Forget the mappings of a process. 0, -ENOMEM or -EINTR. */
static int maps_forget(struct unwind_session **at, struct dtrace_account *account,
		       const struct mm_struct *mm)
{
	struct unwind_session *session = session_lock(at, account);
	struct unwind_process *p;

	if (IS_ERR(session))
		return PTR_ERR(session);
	p = process_find(session, mm);
	if (p)
		process_drop(session, p);
	mutex_unlock(&session->lock);
	return 0;
}

int unwind_set_maps(struct unwind_session **at, struct dtrace_account *account,
		    struct mm_struct *mm, const struct dtrace_unwind_process *process)
{
	unsigned int n = process->dtup_nmaps;
	struct dtrace_unwind_mapping *from;
	size_t bytes = n * sizeof(*from) + maps_bytes(n);
	struct unwind_session *session;
	struct unwind_maps *maps;
	int error;

	if (!n)
		return maps_forget(at, account, mm);
	if (n > DTRACE_UNWIND_MAXMAPS)
		return -E2BIG;
	/*
	 * Charge the copies until the maps are charged to the session. Do not free tables to make
	 * space, since the tables of these maps have no users yet.
	 */
	if (dtrace_account_charge(account, DTRACE_RES_BYTES, bytes, NULL, 0)) {
		atomic64_inc(&unwind_refused);
		return -ENOSPC;
	}
	from = vmemdup_user(u64_to_user_ptr(process->dtup_maps), n * sizeof(*from));
	if (IS_ERR(from)) {
		error = PTR_ERR(from);
		goto uncharge;
	}
	error = -ENOMEM;
	maps = kvzalloc(maps_size(n), GFP_KERNEL_ACCOUNT);
	if (!maps)
		goto free_from;
	maps->bytes = maps_bytes(n);
	maps->maps.n = n;
	do {
		session = session_lock(at, account);
		error = PTR_ERR_OR_ZERO(session);
		if (error)
			break;
		error = maps_give(session, mm, maps, from);
		mutex_unlock(&session->lock);
	} while (error == -EAGAIN && !(error = session_wait(session)));
	if (error)
		kvfree(maps);
free_from:
	kvfree(from);
uncharge:
	dtrace_account_uncharge(account, DTRACE_RES_BYTES, bytes);
	return error;
}

/* ---- processes whose stacks need tables ---- */

/*
 * Return whether the current thread may know that a process is traced. This takes no lock of the
 * process, since the caller must not wait for all processes that others trace.
 */
static bool missing_is_ours(struct task_struct *task)
{
	struct mm_struct *mm;
	bool ours;

	if (permission_any())
		return true;
	mm = get_task_mm(task);
	if (!mm)
		return false;
	rcu_read_lock();
	ours = permission_owns(current_cred(), __task_cred(task), mm);
	rcu_read_unlock();
	mmput_async(mm);
	return ours;
}

/*
 * Return the number in the caller's PID namespace of a process with a number in the first one; 0:
 * none there, or it is not the caller's.
 */
static pid_t missing_pid(pid_t global)
{
	struct task_struct *task;
	pid_t nr;

	rcu_read_lock();
	task = pid_task(find_pid_ns(global, &init_pid_ns), PIDTYPE_TGID);
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return 0;
	nr = missing_is_ours(task) ? task_tgid_vnr(task) : 0;
	put_task_struct(task);
	return nr;
}

/* List the processes that were noted since that time, in jiffies. */
static void missing_fill(struct dtrace_unwind_missing *missing, u32 since)
{
	unsigned int i;
	pid_t pid;
	u64 note;

	for (i = 0; i < ARRAY_SIZE(unwind_missing); i++) {
		note = READ_ONCE(unwind_missing[i]);
		pid = (u32)note && (s32)((u32)(note >> 32) - since) >= 0 ? missing_pid((u32)note)
									 : 0;
		if (pid)
			missing->dtmi_pids[missing->dtmi_n++] = pid;
	}
}

int unwind_get_missing(struct unwind_session **at, struct dtrace_account *account, void __user *to)
{
	struct dtrace_unwind_missing *missing = kzalloc(sizeof(*missing), GFP_KERNEL_ACCOUNT);
	u32 now = (u32)jiffies, since;
	struct unwind_session *session;
	int error;

	BUILD_BUG_ON(ARRAY_SIZE(unwind_missing) > DTRACE_UNWIND_MAXMISSING);
	if (!missing)
		return -ENOMEM;
	session = session_lock(at, account);
	error = PTR_ERR_OR_ZERO(session);
	if (error)
		goto out;
	since = session->asked;
	session->asked = now;
	mutex_unlock(&session->lock);
	missing_fill(missing, since);
	error = copy_to_user(to, missing, sizeof(*missing)) ? -EFAULT : 0;
out:
	kfree(missing);
	return error;
}

/* ---- /proc/dtrace/stats ---- */

void unwind_stats_show(struct seq_file *seq)
{
	stats_row(seq, "unwind-tables", atomic64_read(&unwind_ntables), "unwind tables of files");
	stats_row(seq, "unwind-processes", atomic64_read(&unwind_nprocesses),
		  "processes that have such");
	stats_row(seq, "unwind-bytes", atomic64_read(&unwind_nbytes), "memory of both");
	stats_row(seq, "unwind-refused", atomic64_read(&unwind_refused),
		  "tables and processes for which there was no memory");
}
