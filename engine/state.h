/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * state.h - sessions. (state.c)
 *
 * The session's lock, snap_lock, makes its requests happen one at a time, and protects all members
 * of struct dtrace_state unless a comment says otherwise. It is taken before the sync lock and the
 * engine lock. The engine lock protects link, and the tables and lists of ECBs. A struct state_cpu
 * belongs to the firings of its CPU; snapshots of it are taken under the session's lock.
 */
#ifndef DTRACE_ENGINE_STATE_H
#define DTRACE_ENGINE_STATE_H

#include "agg.h"
#include "buffer.h"
#include "dynvar.h"
#include "table.h"

/* The string from which strtok() takes words, in one firing. */
struct strtok {
	uint64_t number;    /* strtok_number() of the firing; 0: there is no string */
	uint32_t from, end; /* of the rest of text */
	char text[];	    /* strsize bytes */
};

struct state_cpu {
	uint32_t cpu;
	bool on; /* has buffers */
	/* has no buffers, as the CPU was offline when tracing began: firings count as drops */
	bool absent;
	uint32_t spec_gen; /* the last value of the session's spec_gen that it saw */
	struct buffer buffer;
	struct agg_buffer aggs;
	uint8_t *locals;
	struct strtok *strtok; /* NULL: no clause calls strtok() */
	/* the session's count at the last three snapshots of this CPU, the latest first */
	uint64_t snapshots[3];
	uint64_t errors_reported;
	/* The session's work in the CPU's firing number hit: see "Work" below. */
	uint64_t hit;
	int64_t work;		/* units before fire_work_more() must be asked */
	uint64_t more, granted; /* units got in firing number more, the last that asked */
	uint64_t spent;		/* the last firing in which it may do no more */
	dtrace_status_t count;	/* this CPU's part of the 64-bit counts */
};

struct dtrace_state {
	struct link link;
	uint32_t number;
	uint32_t activity; /* DTRACE_ACTIVITY_* */
	struct dtrace_cred cred;
	struct dtrace_account *account; /* charged with all that the session holds */
	uint64_t charged;		/* bytes charged to it; changed by port_xadd */
	uint64_t cpus_charged;		/* of charged: memory that firings use */
	uint64_t vars_charged;		/* of charged: definitions of variables */
	uint64_t tables_charged;	/* of charged: the tables of ECBs, which never shrink */
	void *cookie;
	/* the session's lock, taken before the engine lock: requests happen one at a time */
	port_mutex_t snap_lock;
	uint64_t opts[DTRACEOPT_MAX];
	uint32_t strsize;
	uint32_t slice; /* units of work that it gets at a time */
	struct link enablings;
	uint32_t nenablings;
	uint32_t unattached; /* probes that matched and could not be enabled [L] */
	struct htable ecbs;
	struct htable pairs; /* the same, by clause and probe */
	dtrace_epid_t next_epid;
	/* of the session's ECBs on probes at intervals, the first on each probe [L] */
	struct link intervals;
	struct link retired;
	struct var_space vars;
	struct agg **aggs;
	uint32_t naggs, naggs_max; /* of aggs: number, capacity */
	uint64_t snapshots;	   /* taken so far */
	struct state_cpu *cpus;	   /* by CPU; from go on */
	uint8_t *globals;
	struct dynvar *dynvars[2]; /* by DIFV_SCOPE_*: of both scopes the same, unless shared */
	bool shared;		   /* globals and dynvars are in memory that engines share */
	uint64_t hide;		   /* mstate.hide of programs that may see the kernel */
	struct speculation *specs;
	uint32_t nspecs, specsize;
	uint32_t spec_gen; /* grows when a speculation waits for other CPUs */
	uint32_t spec_pending;
	bool exited;	       /* exit() was called */
	bool joined;	       /* by dtrace_state_join(): neither BEGIN nor END fires */
	bool vtime;	       /* it is counted in engine.nvtime */
	bool synced;	       /* it has had probes whose providers have a sync operation [L] */
	struct search *search; /* patterns of the last dtrace_state_probes(); session's lock */
	uint64_t asked;	       /* when the consumer last asked for the status */
	uint64_t alive;	       /* when consumer and machine were last known to be alive */
};

/*
 * state_lock - take the session's lock. Return 0, or -EINTR: a fatal signal is pending. No other
 * lock of the engine is held. May sleep.
 */
int state_lock(dtrace_state_t *state);
/* state_unlock - release the session's lock. */
void state_unlock(dtrace_state_t *state);
/* STATE_ASSERT_LOCKED - complain if the caller does not hold the session's lock. */
#define STATE_ASSERT_LOCKED(state) PORT_ASSERT_HELD(&(state)->snap_lock)

/* state_charge - charge the session's account with n bytes. -EDQUOT with a message. Any context. */
int state_charge(dtrace_state_t *state, uint64_t n, struct dof_err *err);
/* state_uncharge - give n bytes back. Any context. */
void state_uncharge(dtrace_state_t *state, uint64_t n);
/*
 * state_call - run fn(arg) on a CPU with interrupts off. The time that it takes from the CPU counts
 * against the share of the session's user, unless the session has all rights. If the share is used
 * up, wait, or without `wait` return -EAGAIN. -EAGAIN too if port_xcall() has failed; -EINTR: a
 * fatal signal is pending. Only the session's lock may be held.
 */
int state_call(dtrace_state_t *state, uint32_t cpu, void (*fn)(void *arg), void *arg, bool wait);
/*
 * state_kill - let no probe fire for the session any more, unless it is destructive. Any context.
 */
void state_kill(dtrace_state_t *state);

#endif
