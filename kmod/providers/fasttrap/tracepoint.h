/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tracepoint.h - tracepoints and their members, for the files that make breakpoints of
 * them and see them hit. What the words mean, and the locks, is in providers/fasttrap/impl.h.
 */
#ifndef DTRACE_PROVIDERS_FASTTRAP_TRACEPOINT_H
#define DTRACE_PROVIDERS_FASTTRAP_TRACEPOINT_H

#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/rhashtable.h>

#include "compat/uprobes.h"
#include "impl.h"
#include "arch/x86/insn_emulate.h"

struct fasttrap_member_key {
	struct fasttrap_tracepoint *tracepoint;
	struct mm_struct *mm;		/* NULL: everybody */
};

struct fasttrap_member {
	struct rhash_head hash;
	struct fasttrap_member_key key;
	struct list_head all;		/* in the tracepoint; tracepoint lock */
	kuid_t uid;			/* of the process */
	struct hlist_head sites;	/* tracepoint lock, RCU */
	unsigned int nsites;
	/* it has no sites any more, but may still have the breakpoint */
	bool leaving;
	bool going;			/* it was leaving when the patcher began */
	bool patched;			/* the breakpoint is in, or the last try failed */
	bool patching;			/* the patcher is at it */
	int error;			/* why it is not in */
	struct rcu_head rcu;
};

enum fasttrap_instruction_kind {
	INSTRUCTION_OTHER,	/* uprobes sees to it */
	INSTRUCTION_NOP,
	INSTRUCTION_RETURN,
	INSTRUCTION_PUSHF,
	INSTRUCTION_POP,
	INSTRUCTION_OPERATION,
};

/* The instruction at a tracepoint. */
struct fasttrap_instruction {
	u8 kind;		/* enum fasttrap_instruction_kind */
	u8 length;		/* of a NOP or pop */
	u8 to;			/* of a pop: the register */
	bool first;		/* of a function */
	u8 condition;		/* of a jump by the flags: CONDITION and its number; or 0 */
	u16 pop;		/* of a return: bytes of arguments that it takes from the stack */
	struct fasttrap_operation operation;
};

struct file_load;
struct patch_job;

/* That somebody waits until a tracepoint's breakpoints have been looked at; tracepoint lock. */
struct patch_note {
	struct list_head queued;	/* in the job: for the patcher, or to be read first */
	struct list_head of_tp;		/* in the tracepoint: made, or taken by the patcher */
	struct fasttrap_tracepoint *tp;
	struct patch_job *job;
};

struct fasttrap_tracepoint {
	struct kref kref;		/* the table's, then the sweeper's; a reader's */
	struct hlist_node hash;		/* tracepoint lock */
	struct file *file;
	struct inode *inode;
	loff_t offset, ref;
	struct file_load *load;		/* it is counted there; NULL: nowhere; tracepoint lock */
	struct list_head members;	/* tracepoint lock */
	/* of them the one that came last, or NULL; tracepoint lock, RCU */
	struct fasttrap_member __rcu *newest;
	struct fasttrap_member __rcu *everybody;	/* likewise, the one without memory */
	/* without those that are leaving; tracepoint lock, read without */
	unsigned int nmembers;
	bool dying;			/* out of the hash, with the patcher */
	struct list_head notes;		/* the patcher has something to do here; tracepoint lock */
	struct list_head taken;		/* of them what it is at; likewise */
	struct patch_note note;		/* the first of them; in use while it has a job */
	bool unread;			/* the notes wait for a reader; tracepoint lock */
	bool learnt;			/* the instruction has been looked at; tracepoint lock, */
	int unlearnable;		/* and what came of it */
	struct list_head batch;		/* the patcher's own, then the sweeper's */
	int error;			/* of the last registration */
	struct fasttrap_instruction instruction;	/* known before there are hits */
	u64 hits;			/* hits on several CPUs at once may be counted as one */
	bool registered;		/* the patcher's own, as all below */
	loff_t place_ref;		/* the semaphore with which it is: its own, or another's, */
	kuid_t place_uid;		/* and then whose processes may have it */
	bool hold;			/* the filter says no for now */
	/* to whom it says yes for strangers: they keep what they have */
	struct task_struct *keeper;
	struct uprobe_consumer consumer;
	struct compat_uprobe uprobe;
};

/* ---- providers/fasttrap/tracepoint.c; with the tracepoint lock where nothing else is said ---- */

#define TRACEPOINT_HASH_BITS	14
extern struct hlist_head tracepoints[1 << TRACEPOINT_HASH_BITS];

/* tracepoint_key - of a place, for the table: who chooses offsets cannot choose which share a bucket. */
unsigned long tracepoint_key(const struct inode *inode, loff_t offset);

/* Each at that place. */
#define for_each_tracepoint_at(tp, at_inode, at_offset)                                        \
	hash_for_each_possible(tracepoints, tp, hash, tracepoint_key(at_inode, at_offset))     \
		if ((tp)->inode != (at_inode) || (tp)->offset != (at_offset)) {                \
		} else

/* tracepoint_find - the one at that place with that semaphore, or NULL. */
struct fasttrap_tracepoint *tracepoint_find(const struct inode *inode, loff_t offset, loff_t ref);
/*
 * tracepoint_create - a new one, without members, for the user of that account. As ERR_PTR: -ENOMEM; -EDQUOT:
 * the user has as many in the file as there may be, see fasttrap_file_sites.
 */
struct fasttrap_tracepoint *tracepoint_create(const struct fasttrap_file *file, loff_t offset,
					      loff_t ref, struct dtrace_account *account);
/* tracepoint_uncount - it has no breakpoints any more: its user may have another in the file. */
void tracepoint_uncount(struct fasttrap_tracepoint *tp);
/* tracepoint_get - one reference more. */
struct fasttrap_tracepoint *tracepoint_get(struct fasttrap_tracepoint *tp);
/* tracepoint_put - one less; with the last one no handler can see it any more. No lock. */
void tracepoint_put(struct fasttrap_tracepoint *tp);
/* tracepoint_is_changing - has the patcher something to do there, or is it at it? */
bool tracepoint_is_changing(const struct fasttrap_tracepoint *tp);
/*
 * tracepoint_register, tracepoint_withdraw - its consumer comes, with the semaphore place_ref,
 * or an errno; goes, and its breakpoints with it. The patcher, with no lock.
 */
int tracepoint_register(struct fasttrap_tracepoint *tp);
void tracepoint_withdraw(struct fasttrap_tracepoint *tp);

/* ---- providers/fasttrap/member.c; with the tracepoint lock, but for searches ---- */

/* member_search - that member, or NULL. RCU, or interrupts off. */
struct fasttrap_member *member_search(struct fasttrap_tracepoint *tp, struct mm_struct *mm);

/* member_lookup - likewise. Most have one member only, or the newest is the one that is hit. */
static __always_inline struct fasttrap_member *member_lookup(struct fasttrap_tracepoint *tp,
							     struct mm_struct *mm)
{
	struct fasttrap_member *member = rcu_dereference_check(tp->newest, irqs_disabled());

	return member && member->key.mm == mm ? member : member_search(tp, mm);
}

/* member_find - likewise; the lock keeps what is found. */
struct fasttrap_member *member_find(struct fasttrap_tracepoint *tp, struct mm_struct *mm);
/* member_create - a new one, without sites; or -ENOMEM and the like as ERR_PTR. */
struct fasttrap_member *member_create(struct fasttrap_tracepoint *tp, struct mm_struct *mm);
/* member_return - one that is leaving stays after all: it is about to get a site. */
void member_return(struct fasttrap_member *member);
/* member_destroy - it has no sites, and no breakpoint. */
void member_destroy(struct fasttrap_member *member);
/* member_add_site, member_remove_site - without sites it leaves, and the patcher is told. */
void member_add_site(struct fasttrap_member *member, struct fasttrap_site *site);
void member_remove_site(struct fasttrap_member *member, struct fasttrap_site *site);

/* ---- providers/fasttrap/hit.c ---- */

/* The handler of tracepoints: in task context, interrupts on. */
COMPAT_UPROBE_HANDLER(hit_handler, uc, regs);

/* ---- providers/fasttrap/place.c ---- */

/* place_suits - may the member have the breakpoint with the semaphore that the tracepoint has? */
bool place_suits(const struct fasttrap_tracepoint *tp, const struct fasttrap_member *member);
/* place_keeps - and does it want it? RCU. */
bool place_keeps(const struct fasttrap_tracepoint *tp, const struct fasttrap_member *member);
/* place_fits - does it suit all members? No lock. */
bool place_fits(const struct fasttrap_tracepoint *tp);
/*
 * place_settle - choose the semaphore with which to register, place_ref. False: the place has
 * another. The patcher, with no lock.
 */
bool place_settle(struct fasttrap_tracepoint *tp);
/*
 * place_leave - tp has left its place free: who was refused for it may try again [tracepoint lock].
 */
void place_leave(const struct fasttrap_tracepoint *tp);

/* ---- providers/fasttrap/patcher.c ---- */

/* patcher_note - the tracepoint's breakpoints are to be looked at [tracepoint lock]. */
void patcher_note(struct fasttrap_tracepoint *tp);
/*
 * patcher_note_because - likewise, because of what the patcher does with another: a note of those who
 * wait for that [tracepoint lock].
 */
void patcher_note_because(struct fasttrap_tracepoint *tp, const struct fasttrap_tracepoint *of);

/* ---- arch/x86/insn.c ---- */

/*
 * instruction_learn - what is at that place of the file. -EOPNOTSUPP: it must not have a
 * breakpoint; else errors of reading.
 */
int instruction_learn(struct fasttrap_instruction *instruction, struct file *file, loff_t offset);
/* instruction_passes - false: it is a jump by the flags that will not be taken. */
bool instruction_passes(const struct fasttrap_instruction *instruction, const struct pt_regs *regs);
/*
 * instruction_do - carry it out in a handler, the last that is told, or leave it to uprobes. alone:
 * nobody else has a consumer there.
 */
void instruction_do(const struct fasttrap_instruction *instruction, struct pt_regs *regs,
		    bool alone);

#endif
