/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * stop_impl.h - the parts of holding to each other.
 *
 *	holder	what an open file of the device holds
 *	watch	on what: execs of a name, or an address of a process
 *	family	a process and its descendants, of whom a watch of execs is
 *	slot	a thread that is held
 *
 * Locks: a holder's mutex (its watches), and under it execs_lock (all watches of execs).
 * A holder's raw spin lock (its slots) is taken by all, and under it held_lock (which threads are
 * held by all holders). family_lock, above a holder's, is taken alone otherwise.
 */
#ifndef DTRACE_PROCESS_STOP_IMPL_H
#define DTRACE_PROCESS_STOP_IMPL_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/uprobes.h"
#include "stop.h"

struct hold_slot {
	struct callback_head work;
	struct list_head list;		/* in one of the holder's lists */
	struct hlist_node held;		/* while the thread is held; held_lock */
	struct fasttrap_holder *holder;
	struct pid *pid, *tid;		/* counted until the slot is free */
	unsigned int watch;
	long timeout;			/* jiffies */
	bool address;			/* it has come to one: */
	struct pt_regs regs;		/* with these, */
	u64 arg0;			/* and this */
	bool left;			/* the thread has gone on */
	bool ends;			/* to be killed */
	bool unread;
	bool go;			/* it may */
	bool anew;			/* from where it arrived */
};

struct hold_family;

enum watch_patching { WATCH_WAITED, WATCH_PATCHED, WATCH_ABANDONED };

struct hold_watch {
	struct kref ref;		/* the holder's, and one of the work */
	struct list_head all;		/* in the holder */
	struct list_head execs;		/* likewise, if of execs; execs_lock, RCU */
	struct fasttrap_holder *holder;	/* counted */
	unsigned int number;
	long timeout;			/* jiffies; 0: nobody is held */
	/* of execs */
	struct pid *pid;		/* counted: all execs of this process; NULL: by name */
	struct hold_family *family;	/* NULL: of this process only */
	char name[DTRACE_FT_NAMELEN];
	bool anybody;			/* root's: of all users */
	const struct cred *cred;	/* whose it is */
	atomic_t spent;			/* it has met its process */
	/* of an address */
	struct mm_struct *mm;		/* grabbed; NULL: of execs */
	bool follow;			/* in members of the holder's families too */
	uint64_t address;
	struct file *file;
	loff_t offset;			/* there */
	struct work_struct work;
	struct completion done;		/* the work */
	bool ended;			/* nobody is held any more */
	atomic_t patching;		/* enum watch_patching: who of the two ends first */
	int error;			/* of the work */
	struct uprobe_consumer consumer;
	struct compat_uprobe uprobe;
};

struct fasttrap_holder {
	/* the file's, and one of each watch and of each slot that a thread has */
	struct kref ref;
	struct mutex mutex;
	struct list_head watches;	/* mutex */
	unsigned int nwatches, next;	/* mutex */
	struct list_head execs;		/* execs_lock, RCU */
	struct list_head with_execs;	/* while that is not empty; execs_lock, RCU */
	struct dtrace_account *account;	/* counted */
	struct pid_namespace *ns;	/* of who opened the file */
	raw_spinlock_t lock;
	struct list_head free;		/* lock, as all below */
	struct list_head coming;	/* the thread is on its way */
	struct list_head news;		/* to be read */
	struct list_head known;		/* read, and held still */
	unsigned int missed;
	wait_queue_head_t threads, readers;
	struct work_struct announce;	/* wakes readers where preemption is off */
	struct hold_slot *slots;	/* with the first watch */
};

struct hold_counts {
	atomic64_t held, timeouts, missed;
};
extern struct hold_counts hold_counts;

/* ---- process/stop.c ---- */

/*
 * holder_get - one reference more. holder_put - one less; the last one is that of a thread, of the
 * file, or of a watch that has ended late.
 */
void holder_get(struct fasttrap_holder *holder);
void holder_put(struct fasttrap_holder *holder);
/*
 * holder_charge - charge its user for so many bytes more: -EDQUOT. holder_uncharge - take them away.
 */
int holder_charge(struct fasttrap_holder *holder, size_t bytes);
void holder_uncharge(struct fasttrap_holder *holder, size_t bytes);
/*
 * hold_note_missed - count a thread that the holder is not told of. Any context; under any lock but
 * the holder's.
 */
void hold_note_missed(struct fasttrap_holder *holder);

/* ---- process/descendants.c; locks of its own, for all contexts of a process ---- */

/*
 * family_create - of root, which is its first member; -ENOMEM, -EDQUOT as ERR_PTR. family_destroy -
 * NULL is fine.
 */
struct hold_family *family_create(struct fasttrap_holder *holder, struct pid *root);
void family_destroy(struct hold_family *family);
/* family_has - is the process a member? families_have - of one of the holder's families? */
bool family_has(const struct hold_family *family, const struct pid *pid);
bool families_have(const struct fasttrap_holder *holder, const struct pid *pid);

/* ---- process/stopped_thread.c ---- */

/* slots_create - the holder's, if it has none yet [holder's mutex]. -ENOMEM, -EDQUOT. */
int slots_create(struct fasttrap_holder *holder);
/* slots_destroy - nobody has one any more. */
void slots_destroy(struct fasttrap_holder *holder);
/*
 * slot_hold_current - current has met the watch; regs: of an address, else NULL. Any context in
 * which it is current that runs.
 */
void slot_hold_current(const struct hold_watch *watch, const struct pt_regs *regs);
/*
 * slot_free - one that is nobody's any more, with its pids for the caller to put. False: it is
 * still somebody's [holder's lock].
 */
bool slot_free(struct hold_slot *slot, struct pid **pid, struct pid **tid);

/* ---- process/stop_point.c; with the holder's mutex ---- */

/* watches_end - those in the list meet nobody any more, and are freed: with one wait for all. */
void watches_end(struct list_head *watches);
/* watch_find - the holder's watch of that number, or NULL. */
struct hold_watch *watch_find(struct fasttrap_holder *holder, unsigned int number);

#endif
