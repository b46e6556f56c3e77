/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * speculation.h - records that wait for commit() or discard(). (speculation.c)
 *
 * The state of a speculation changes by compare and swap. The buffer of a CPU belongs to the
 * firings there. The session's lock protects waiting and born, and makes cleaning happen once at a
 * time.
 */
#ifndef DTRACE_ENGINE_SPECULATION_H
#define DTRACE_ENGINE_SPECULATION_H

#include "core.h"

struct mstate;
struct state_cpu;

enum spec_state {
	SPEC_INACTIVE,
	SPEC_ACTIVE,
	SPEC_ACTIVE_ONE,
	SPEC_ACTIVE_MANY,
	SPEC_COMMITTING,
	SPEC_DISCARDING
};
struct spec_cpu {
	uint8_t *mem;
	uint32_t off;  /* where the next record goes */
	uint32_t from; /* after the commit: records before it have been moved */
};
struct speculation {
	/*
	 * enum spec_state; from bit 8 on, of ACTIVE_ONE the CPU, of the last two the CPU plus 1, if
	 * it ends the speculation alone
	 */
	uint32_t state;
	uint32_t waiting; /* the state in which cleaning found it */
	uint64_t born;	  /* snapshot count */
	struct spec_cpu *cpus;
};
/* speculation_init - allocate n speculations with buffers of size bytes. -ENOMEM. May sleep. */
int speculation_init(dtrace_state_t *state, uint32_t n, uint32_t size);
/* speculation_bytes - return the bytes that n speculations of that size take. */
uint64_t speculation_bytes(uint32_t n, uint64_t size);
/* speculation_fini - free them. */
void speculation_fini(dtrace_state_t *state);
/*
 * The next six functions are for probe context. In all of them, 0 is the number of no speculation.
 * A number above nspec is a fault.
 *
 * speculation_new - return the number of a speculation that is free, or 0.
 */
uint32_t speculation_new(struct mstate *m);
/* speculation_active - return whether records may be added to a speculation. */
bool speculation_active(struct mstate *m, uint64_t id);
/*
 * speculation_reserve - return where a record of size bytes may be written for a speculation on
 * this CPU; NULL: it is not active, or full, which is counted.
 */
uint8_t *speculation_reserve(struct mstate *m, uint64_t id, uint32_t size);
/* speculation_keep - make the reserved record part of the speculation. */
void speculation_keep(struct mstate *m, uint64_t id, uint32_t size);
/* speculation_commit - move the records of this CPU to its principal buffer; other CPUs follow. */
void speculation_commit(struct mstate *m, uint64_t id);
/* speculation_discard - forget the records of this CPU; other CPUs follow. */
void speculation_discard(struct mstate *m, uint64_t id);
/*
 * speculation_clean_cpu - do for the CPU of sc what other CPUs have begun by commit or discard,
 * until about *work units have been spent. *work becomes the units left, perhaps below 0. False:
 * there is more to do. Probe context on that CPU.
 */
bool speculation_clean_cpu(dtrace_state_t *state, struct state_cpu *sc, int64_t *work);
#define SPEC_CLEAN_FIRING 4096	/* units, in a firing */
#define SPEC_CLEAN_CALL	  16384 /* in a call on another CPU */
/*
 * speculation_clean - call speculation_clean_cpu() on all CPUs until nothing is left, and make the
 * speculations free. turns: how many calls may leave something; SPEC_CLEAN_SOME takes a few
 * milliseconds. -EAGAIN: there is more to do, as state->spec_pending says too. -EINTR: the same,
 * and a fatal signal is pending. The caller holds the session's lock. May sleep.
 */
int speculation_clean(dtrace_state_t *state, uint32_t turns);
#define SPEC_CLEAN_SOME 256
#define SPEC_CLEAN_ALL	UINT32_MAX
/*
 * speculation_recover - let all CPUs end the speculations that a CPU was ending when its firing was
 * interrupted for good. User land only. Probe context.
 */
void speculation_recover(dtrace_state_t *state, uint32_t cpu);

#endif
