/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * engine_impl.h - the engine's own data and the engine lock. (engine.c)
 *
 * A user's turn (account.h) is taken before the sync lock, by requests that may look through all
 * probes. The sync lock is taken before the engine lock, and makes the calls of provide and sync
 * happen one at a time. The engine lock protects all members of struct engine below it, all
 * providers, probes, listings and ECBs, and the lists of sessions. Firings read mstates (their
 * CPU's own), vtime, begin, end and error without a lock.
 */
#ifndef DTRACE_ENGINE_ENGINE_IMPL_H
#define DTRACE_ENGINE_ENGINE_IMPL_H

#include "table.h"

struct mstate;
struct engine {
	/* taken before lock: calls of provide and sync, one at a time */
	port_mutex_t sync_lock;
	void *sync_uncharged; /* by the lock's owner: the result of port_uncharged_begin() */
	port_mutex_t lock;    /* the engine lock: all below, and the lists of sessions */
	struct idtable providers;
	struct htable providers_by_name;
	struct link providing; /* providers with the operation prepare or provide, by serial */
	uint64_t provider_serial, probe_serial;
	struct idtable probes;
	struct htable probes_by_name;
	struct link unsynced; /* noted for a call of sync, the earliest note first */
	uint64_t nnoted;      /* notes until now */
	bool sync_left;	      /* by a thread that did not wait for sync_lock */
	struct link states;
	uint32_t state_number;
	struct deferred *deferred;
	void *uncharged;	 /* by the lock's owner: the result of port_uncharged_begin() */
	struct mstate *mstates;	 /* by CPU */
	uint32_t nvtime;	 /* sessions that use vtimestamp */
	struct vtime *vtime;	 /* while there are any; read by firings */
	dtrace_provider_t *prov; /* the engine's own */
	dtrace_probe_t *begin, *end, *error;
};
extern struct engine engine;

/* engine_lock - take the engine lock. May sleep. */
void engine_lock(void);
/* ENGINE_ASSERT_LOCKED - complain if the engine lock is not held: in functions marked [L]. */
#define ENGINE_ASSERT_LOCKED() PORT_ASSERT_HELD(&engine.lock)
/* engine_unlock - release the engine lock, then free engine.deferred. May sleep. */
void engine_unlock(void);
struct engine_pause {
	uint32_t turns;
	bool paused;		   /* the last call has released the lock */
	struct deferred *deferred; /* for deferred_free() at the end */
};
/*
 * engine_pause - [L] release the lock once every so many turns, let other threads run, and take it
 * again. If pause->paused, nothing that the lock covers need be as it was. Objects in
 * engine.deferred move to pause->deferred, since a grace period for each pause would take long. 0,
 * or -EINTR: a fatal signal is pending. May sleep.
 */
int engine_pause(struct engine_pause *pause);

#endif
