/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tracepoint.h - tracepoints, and the mms (address spaces) that each of them serves. impl.h has the
 * terms and the locks.
 *
 * The states of a tracepoint. The tracepoint lock protects all transitions, which uprobe.c makes.
 *
 *	          the mms that               the worker finds its
 *	          want it change             instruction unknown
 *	    IDLE ----------------> QUEUED ------------------------> READING
 *	     ^                    ^  |  ^                              |
 *	     |        it has      |  |  |   a reader has read it, or   |
 *	     |        changed     |  |  |   no mm wants it any more    |
 *	     |        meanwhile   |  |  +------------------------------+
 *	     |                    |  |
 *	     |                    |  | the worker takes it
 *	     |  the worker has    |  +---> ENDING, if no mm wants it
 *	     |  finished          |  v
 *	     +------------------- BUSY
 *
 *	            an mm wants it again                it leaves the table, and is freed
 *	    QUEUED <--------------------- ENDING -----> RETIRED    after a grace period
 *	     ^                              |
 *	     |  an mm wants it again,       | its location is mapped too often:
 *	     |  or it is time to look       v it keeps its breakpoints
 *	     +--------------------------- CROWDED
 *
 * The states of a uprobe consumer. Only the worker changes them, without a lock; the filter
 * reads them.
 *
 *	NONE	not registered
 *	QUIET	being registered while the filter grants no mm. Then each mm is tried by itself, so
 *		that a failure in one does not affect the others
 *	ON	registered: the filter grants the mms that want the breakpoint
 *
 *	    NONE ---> QUIET ---> ON ---> NONE
 *	    ^ |         |        ^
 *	    | +---------|--------+
 *	    +-----------+ uprobes refuses it
 *
 * The states of a tp_mm. The tracepoint lock protects all transitions, which tracepoint.c makes.
 * Hits and the filter read the state under RCU.
 *
 *	  site added          the worker begins           the worker has finished
 *	 ------------> PENDING ----------------> INSERTING -----------------> APPLIED
 *	               ^    |                        |                           |
 *	               |    | last site removed      | last site removed         |
 *	    site added |    v                        v                           v
 *	               +- LEAVING <--------------------------------------------- +
 *	               |    |
 *	               |    | the worker begins
 *	               |    v            the worker has finished
 *	               +- REMOVING ------------------------------> freed
 *
 * A new tp_mm is APPLIED at once if the process has its breakpoint from its parent.
 *
 * A process whose memory is gone has no breakpoints: its tp_mm is freed with its last site. If the
 * location is mapped too often, a tp_mm that is REMOVING is freed though the breakpoint stays.
 */
#ifndef DTRACE_PROVIDERS_FASTTRAP_TRACEPOINT_H
#define DTRACE_PROVIDERS_FASTTRAP_TRACEPOINT_H

#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/rhashtable.h>

#include "arch/x86/insn.h"
#include "compat/uprobes.h"
#include "impl.h"

struct fasttrap_client;
struct fasttrap_file_load;

enum fasttrap_tp_mm_state {
	FASTTRAP_TP_MM_PENDING, /* has sites; the breakpoint is still to be inserted */
	FASTTRAP_TP_MM_INSERTING,
	FASTTRAP_TP_MM_APPLIED, /* the breakpoint is inserted, or error says why not */
	FASTTRAP_TP_MM_LEAVING, /* has no sites; the breakpoint may be inserted */
	FASTTRAP_TP_MM_REMOVING,
};

struct fasttrap_tp_mm_key {
	struct fasttrap_tracepoint *tp;
	struct mm_struct *mm; /* NULL: system-wide */
};

struct fasttrap_tp_mm {
	struct rhash_head hash;
	struct fasttrap_tp_mm_key key;
	struct list_head all;	 /* in the tracepoint; tracepoint lock */
	kuid_t uid;		 /* of the process */
	struct hlist_head sites; /* tracepoint lock, RCU */
	unsigned int nsites;
	enum fasttrap_tp_mm_state state; /* tracepoint lock, read under RCU */
	int error;			 /* why the breakpoint was not inserted */
	struct rcu_head rcu;
};

enum fasttrap_tp_state {
	FASTTRAP_TP_IDLE,
	FASTTRAP_TP_READING,
	FASTTRAP_TP_QUEUED,
	FASTTRAP_TP_BUSY,
	FASTTRAP_TP_ENDING,
	FASTTRAP_TP_CROWDED,
	FASTTRAP_TP_RETIRED,
};

enum fasttrap_consumer_state {
	FASTTRAP_CONSUMER_NONE,
	FASTTRAP_CONSUMER_QUIET,
	FASTTRAP_CONSUMER_ON,
};

/* A client waits until the uprobe worker has handled a tracepoint; tracepoint lock. */
struct fasttrap_job {
	struct list_head queued; /* in the client, until the worker takes it */
	struct list_head of_tp;	 /* in the tracepoint: jobs or taken */
	struct fasttrap_tracepoint *tp;
	struct fasttrap_client *client;
};

struct fasttrap_tracepoint {
	struct kref kref;	/* of the table, then of the deferred free; of a reader */
	struct hlist_node hash; /* tracepoint lock */
	struct file *file;
	struct inode *inode;
	loff_t offset;
	loff_t refctr;			 /* of its reference counter; 0: none */
	struct fasttrap_file_load *load; /* where it counts, or NULL; tracepoint lock */
	struct dtrace_account *account;	 /* of the user who created it; counted */
	/* as a site: it is CROWDED, or was when the worker last finished; tracepoint lock */
	bool charged;
	/* only users with limits have sites there; tracepoint lock, the worker reads it without */
	bool limited;
	struct list_head mms; /* tracepoint lock */
	/* the last tp_mm that was added, or NULL; tracepoint lock, RCU */
	struct fasttrap_tp_mm __rcu *newest;
	struct fasttrap_tp_mm __rcu *system_wide; /* the one without mm, or NULL; same */
	/* without tp_mms that are LEAVING or REMOVING; tracepoint lock, read without */
	unsigned int nmms;
	enum fasttrap_tp_state state;	/* tracepoint lock */
	struct list_head jobs;		/* that the worker has not taken; tracepoint lock */
	struct list_head taken;		/* that the worker handles; tracepoint lock */
	struct fasttrap_job job;	/* the first one; in use if it has a client */
	bool insn_known;		/* the instruction has been read; tracepoint lock */
	int insn_error;			/* why it cannot have a breakpoint; tracepoint lock */
	struct list_head batch;		/* the worker's; then in crowded, or the deferred free's */
	int error;			/* of the last registration */
	struct dtrace_insn instruction; /* valid before there are hits */
	u64 hits;			/* hits on several CPUs at once may count as one */
	/* jiffies when the worker last left mms as they were; 0: it did not. Read without lock */
	unsigned long refused;
	/* the worker's, as all below; the filter reads it */
	enum fasttrap_consumer_state consumer_state;
	loff_t used_refctr; /* with which it is registered: its own, or another's, */
	kuid_t refctr_uid;  /* and then only this user's processes may have it */
	/* the worker, while it reapplies: mms that are not in the table keep what they have */
	struct task_struct *reapplying;
	struct uprobe_consumer consumer;
	struct compat_uprobe uprobe;
};

/* ---- tracepoint.c; with the tracepoint lock where nothing else is said ---- */

#define FASTTRAP_TP_HASH_BITS 14
extern struct hlist_head fasttrap_tracepoints[1 << FASTTRAP_TP_HASH_BITS];

/*
 * Return the hash key of a location. It is secret, so that a user who chooses offsets cannot choose
 * the bucket. No lock.
 */
unsigned long fasttrap_tracepoint_key(const struct inode *inode, loff_t offset);

/* Iterate over the tracepoints at a location. */
#define for_each_tracepoint_at(tp, at_inode, at_offset)                         \
	hash_for_each_possible(fasttrap_tracepoints, tp, hash,                  \
			       fasttrap_tracepoint_key(at_inode, at_offset))    \
		if ((tp)->inode != (at_inode) || (tp)->offset != (at_offset)) { \
		} else

/* Take a reference. */
struct fasttrap_tracepoint *fasttrap_tracepoint_get(struct fasttrap_tracepoint *tp);
/* Drop a reference. With the last one no handler can see the tracepoint. No lock. */
void fasttrap_tracepoint_put(struct fasttrap_tracepoint *tp);
/* Remove a tracepoint that no mm wants from the table, with its tp_mms, for the worker. */
void fasttrap_tracepoint_remove(struct fasttrap_tracepoint *tp);
/* Uncount a tracepoint that has no breakpoints any more: its user may have another in the file. */
void fasttrap_tracepoint_uncount(struct fasttrap_tracepoint *tp);

/* Return the tp_mm of a process, or NULL. mm: NULL is system-wide. RCU, or interrupts off. */
struct fasttrap_tp_mm *fasttrap_tp_mm_search(struct fasttrap_tracepoint *tp, struct mm_struct *mm);

/* Return whether the tp_mm has no sites any more. RCU or the tracepoint lock. */
static inline bool fasttrap_tp_mm_is_leaving(const struct fasttrap_tp_mm *tp_mm)
{
	return READ_ONCE(tp_mm->state) >= FASTTRAP_TP_MM_LEAVING;
}

/*
 * Have the worker remove the breakpoint from the current process, which has no sites
 * there, unless it would be refused. No lock.
 */
void fasttrap_tp_mm_remove_current(struct fasttrap_tracepoint *tp);
/* The worker begins: PENDING to INSERTING, LEAVING to REMOVING. */
void fasttrap_tp_mm_begin(struct fasttrap_tp_mm *tp_mm);
/* The worker has finished with error: INSERTING to APPLIED; REMOVING is freed. */
void fasttrap_tp_mm_finish(struct fasttrap_tp_mm *tp_mm, int error);

/* ---- hit.c ---- */

/* Handle a hit of a tracepoint's breakpoint. Task context, interrupts on. */
COMPAT_UPROBE_HANDLER(fasttrap_hit, uc, regs);

/* ---- refctr.c ---- */

/*
 * Return whether the tp_mm may have the breakpoint with the tracepoint's reference counter, and
 * wants it. RCU.
 */
bool fasttrap_refctr_grants(const struct fasttrap_tracepoint *tp,
			    const struct fasttrap_tp_mm *tp_mm);
/* Return whether the counter suits all tp_mms of the tracepoint. The worker, without a lock. */
bool fasttrap_refctr_suits_all(const struct fasttrap_tracepoint *tp);
/*
 * Choose the reference counter with which to register, used_refctr. Return false if the location
 * has another one. The worker, without a lock.
 */
bool fasttrap_refctr_choose(struct fasttrap_tracepoint *tp);
/*
 * Queue the tracepoints that were refused because of tp, which has left its location
 * [tracepoint lock].
 */
void fasttrap_refctr_retry(const struct fasttrap_tracepoint *tp);

/* ---- uprobe.c ---- */

/* Queue a tracepoint for the worker, as a job of the current process [tracepoint lock]. */
void fasttrap_uprobe_queue(struct fasttrap_tracepoint *tp);
/*
 * Queue tp on behalf of the threads that wait for `of`, because the worker's result for `of`
 * requires it [tracepoint lock].
 */
void fasttrap_uprobe_queue_for(struct fasttrap_tracepoint *tp,
			       const struct fasttrap_tracepoint *of);
/* Unregister a tracepoint's uprobe consumer, with its breakpoints. The worker, without a lock. */
void fasttrap_uprobe_unregister(struct fasttrap_tracepoint *tp);

#endif
