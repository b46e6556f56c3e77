/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fire.h - the state of a firing, its work, and how programs run in it. (fire.c, dif_run.c,
 * dif_subr.c)
 *
 * A struct mstate belongs to its CPU. Interrupts are off during a firing, and a nested firing is
 * dropped: no lock protects it. Work that an account gives is counted by CPU as well.
 */
#ifndef DTRACE_ENGINE_FIRE_H
#define DTRACE_ENGINE_FIRE_H

#include "difo.h"
#include "engine_impl.h"
#include "state.h"

struct dif_tuple {
	uint64_t value;
	uint64_t size;
	uint8_t type; /* DIF_TYPE_* */
	bool byref;
};
#define MSTATE_THREAD 0x1 /* the values that m has read: once in a firing */
#define MSTATE_WALL   0x2
#define MSTATE_VTIME  0x4
#define MSTATE_TIME   0x8

/* The state of the firing that a CPU is in the middle of; one for each CPU. */
struct mstate {
	uint32_t busy; /* a firing is under way; a nested one is dropped */
	uint32_t cpu;
	uint64_t hit;  /* number of the firing, counted on each CPU */
	bool taken;    /* dtrace_fire_timed(): a session has taken the firing */
	uint64_t rest; /* dtrace_fire_timed(): for how many ns none will */
	const struct dtrace_fire *fire;
	dtrace_probe_t *probe;
	dtrace_state_t *state;
	struct state_cpu *sc;
	const struct ecb *ecb;
	const struct action *action; /* the last action of the ECB that has begun, or NULL */
	uint32_t have;		     /* FIRING_* */
	uint64_t timestamp, walltimestamp, vtimestamp;
	struct vtime *vtime; /* NULL: no session uses vtimestamp */
	uint64_t began;	     /* by port_firing_time(); valid with vtime */
	struct target_thread thread;
	struct target_thread numbers; /* the same in the PID namespace of the session */
	/* all ones: programs get handles instead of addresses (mem_handle()); 0: addresses */
	uint64_t hide;
	uint8_t *scratch, *scratch_top;
	uint8_t *cpu_scratch;	      /* all of the CPU's; that of a helper is a part of it */
	uint8_t *scratch_end;	      /* for the clause that runs */
	uint8_t *scratch_used;	      /* from here on, scratch is all zeros */
	const dtrace_state_t *kept;   /* whose clauses have filled scratch */
	uint64_t kept_hit;	      /* in which firing */
	const struct var_space *vars; /* of the helper that runs; not used for a session */
	/* of the session, or of the helper that runs for it */
	uint8_t *locals;
	uint32_t strsize;
	bool helping; /* a helper runs: it may see nothing of the kernel */
	bool faulted;
	uint64_t steps; /* units of work left to helpers for this stack */
	uint64_t until; /* when their time for this stack ends; UINT64_MAX: never */
	struct dtrace_helper_counts helped;
	struct strtok *strtok; /* NULL: no clause of the session calls strtok() */
	const struct difo *difo;
	struct dif_tuple tuple[DIF_DTR_NREGS];
	uint32_t ntuple;
	uint32_t keys; /* bytes of the header and the keys of an aggregation's entry with strings */
	uint32_t fault; /* DTRACEFLT_* */
	uint64_t fault_addr;
	uint32_t pc; /* DIF_NO_PC outside of DIF */
};

/*
 * strtok_number - return a number that tells this firing from the CPU's others, and from a firing
 * of ERROR within it. Never 0.
 */
static inline uint64_t strtok_number(const struct mstate *m)
{
	return m->hit << 1 | (m->probe == engine.error);
}

#define DIF_NO_PC UINT32_MAX
/*
 * All functions from here on are for probe context unless their comment says otherwise. A fault
 * sets m->faulted; the caller checks it before it uses a value.
 *
 * dif_run - run a DIFO and return its value. The caller has charged the work for its length.
 */
uint64_t dif_run(struct mstate *m, const struct difo *difo);
/* dif_fault - note a fault (DTRACEFLT_*) at an address. Only the first of a clause counts. */
void dif_fault(struct mstate *m, uint32_t fault, uint64_t addr);
/* mstate_thread - return the current thread, read once in a firing. */
const struct target_thread *mstate_thread(struct mstate *m);
/* mstate_numbers - return the same, with the numbers of the session's PID namespace. */
const struct target_thread *mstate_numbers(struct mstate *m);
/* mstate_timestamp - return the D variable timestamp, read once in a firing. */
uint64_t mstate_timestamp(struct mstate *m);
/*
 * mstate_sees_process - return whether the session may look into the current process. A session
 * that may see neither the kernel nor all processes may look into those of its user only, except
 * set-id ones.
 */
static inline bool mstate_sees_process(const struct mstate *m)
{
	return (m->state->cred.privs & (DTRACE_PRIV_KERNEL | DTRACE_PRIV_OWNER)) ||
	       target_owns(&m->state->cred);
}
/*
 * mstate_hides_thread - return whether the session must not see the current thread: the probe does
 * not concern the process in which it fires, and the session may not look into that process.
 */
static inline bool mstate_hides_thread(const struct mstate *m)
{
	return m->fire->no_process && !mstate_sees_process(m);
}
/* dif_subr_call - call a subroutine with the tuple in m as its arguments; return its value. */
uint64_t dif_subr_call(struct mstate *m, uint32_t subr);
/*
 * Work. A firing runs with interrupts off, so that the work of a session's clauses is bounded. It
 * is counted in units (see DTRACE_WORK_USER), before it is done where the amount is known. A
 * session without units left gets DTRACEFLT_WORK, and none of its clauses runs any more in this
 * firing; those of other sessions do. Helpers have units of their own, which are taken off the
 * session's afterwards.
 */
#define WORK_CLAUSE 32 /* units of a clause, besides its actions */
#define WORK_ACTION 8
#define WORK_FETCH  8  /* to begin to read memory of the target */
#define WORK_UFRAME 64 /* a frame of a process's stack */
#define WORK_KFRAME 16 /* a frame of the kernel's stack */
#define WORK_FAULT  256
#define WORK_RECORD 4096 /* bytes of a record that are free of charge */
#define WORK_DIVIDE 4
/*
 * fire_work_more - try to give the session more units, after its work has gone below 0. Return
 * false, after a fault, if it gets none.
 */
bool fire_work_more(struct mstate *m);
/* fire_work_left - return the units that the session can still get in this firing. */
uint64_t fire_work_left(const struct mstate *m);
/*
 * dif_charge - charge n units, at most 2^61. Return false, after a fault, if there are not so many.
 */
static inline bool dif_charge(struct mstate *m, uint64_t n)
{
	m->sc->work -= (int64_t)n;
	return port_likely(m->sc->work >= 0) || fire_work_more(m);
}
/* dif_charge_bytes - charge as dif_charge() does, for copying n bytes. */
static inline bool dif_charge_bytes(struct mstate *m, uint64_t n)
{
	return dif_charge(m, n / 32);
}
/* dif_charge_scan - charge as dif_charge() does, for looking at each of n bytes. */
static inline bool dif_charge_scan(struct mstate *m, uint64_t n)
{
	return dif_charge(m, n / 4);
}

#ifndef __KERNEL__
/*
 * fire_recover - forget the last firing on a CPU, which was interrupted for good, perhaps within a
 * helper. The CPU is the caller's. (recover.c)
 */
void fire_recover(uint32_t cpu);
#endif

/*
 * fire_special - fire BEGIN or END for one session, if it is in the given activity. *cpu becomes
 * the number of the CPU. Any context.
 */
void fire_special(dtrace_probe_t *probe, dtrace_state_t *state, uint32_t activity, uint32_t *cpu);

#endif
