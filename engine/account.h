/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * account.h - the resources of users, inside the engine; engine.h has the rest. (account.c)
 *
 * The account lock protects the table of accounts. It is taken within any other lock, and no lock
 * within it. Counts and references change by compare and swap. The part of an account for a CPU
 * belongs to that CPU's firings, and needs no lock.
 */
#ifndef DTRACE_ENGINE_ACCOUNT_H
#define DTRACE_ENGINE_ACCOUNT_H

#include "core.h"

/* account_init - set default limits, before there are accounts. */
void account_init(void);
/* account_fini - undo account_init(). All accounts must have been given back. */
void account_fini(void);
/* The uses of a CPU's time in interrupts. A user has a share for each. */
enum account_use {
	ACCOUNT_SESSIONS, /* clauses of the user's sessions */
	ACCOUNT_HELPERS,  /* ustack helpers of the user's processes, in sessions of any user */
	ACCOUNT_CALLS,	  /* calls by which requests of the user's sessions interrupt CPUs */
	ACCOUNT_USES
};
/*
 * The next six functions are for probe context, on the given CPU: only that CPU touches its part of
 * an account.
 *
 * account_left - return how many ns of the CPU's time interrupts may take now. UINT64_MAX: any
 * time, for sessions of a privileged user. Helpers of a privileged user's processes have a share
 * too: the caller decides whether they need one.
 */
uint64_t account_left(struct dtrace_account *a, uint32_t cpu, enum account_use use, uint64_t now);
/* account_rest - return after how many ns they may take time again; account_left() has said 0. */
uint64_t account_rest(struct dtrace_account *a, uint32_t cpu, enum account_use use, uint64_t now);
/* account_spend - count ns that interrupts have taken from the CPU for the user. */
void account_spend(struct dtrace_account *a, uint32_t cpu, enum account_use use, uint64_t ns);
/*
 * account_work - return the units of work that the user's sessions have been given in the CPU's
 * firing number hit, besides those with which each begins. *since becomes the time when the first
 * of them asked for more. A privileged user always has 0.
 */
uint64_t account_work(struct dtrace_account *a, uint32_t cpu, uint64_t hit, uint64_t now,
		      uint64_t *since);
/* account_work_add - count n more units for account_work(). */
void account_work_add(struct dtrace_account *a, uint32_t cpu, uint64_t n);
/* account_chill - return whether the user may stop the CPU for ns at now, and count it if so. */
bool account_chill(struct dtrace_account *a, uint32_t cpu, uint64_t now, uint64_t ns);
/*
 * account_turn_begin - wait until no other thread looks through the probes for the user's sessions,
 * or waits for the sync operations of providers. Threads get the sync lock and the engine lock in
 * the order in which they came, so no user waits behind all threads of another user. Return 0, or
 * -EINTR: a fatal signal is pending. Root does not wait. The session's lock may be held, and no
 * other lock of the engine. May sleep.
 */
int account_turn_begin(struct dtrace_account *a);
/* account_turn_end - let the next thread of the user go on. */
void account_turn_end(struct dtrace_account *a);
/*
 * account_match - [L] take units from the work that the user's sessions may cause others: a process
 * that makes a probe waits while the clauses of all sessions are matched with it. False: the work
 * is used up, until time has given new units.
 */
bool account_match(struct dtrace_account *a, uint64_t units);

#endif
