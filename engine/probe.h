/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * probe.h - probes and providers. (probe.c, provider.c)
 *
 * The engine lock protects all members of probes and providers, and of lists of ECBs. Firings read
 * ecbs, parg, id and the names of a probe without a lock: a change publishes a new list of ECBs,
 * and the old one is freed after a grace period.
 */
#ifndef DTRACE_ENGINE_PROBE_H
#define DTRACE_ENGINE_PROBE_H

#include "engine_impl.h"
#include "glob.h"
#include "table.h"

struct ecb;
/*
 * The ECBs of a probe in the order in which they run. An element is NULL before its ECB is
 * added and after it is removed. Elements are filled in order, and once only.
 *
 * ECBs of one session that follow each other are a row. The first knows how long the row is, so
 * that a firing that the session does not take passes the row in one step.
 */
struct ecb_list {
	struct deferred deferred;
	uint32_t n;    /* capacity; does not change */
	uint32_t used; /* elements that have been filled; firings read it */
	uint32_t live; /* ECBs that have not left */
	struct ecb *ecbs[];
};

struct dtrace_probe {
	struct deferred deferred;
	struct ecb_list *ecbs;	 /* read by firings; NULL: not enabled */
	dtrace_provider_t *prov; /* NULL once destroyed */
	void *parg;
	struct hnode by_name;
	struct link link; /* of the provider */
	dtrace_id_t id;
	/* 1 while it exists, 1 for each ECB, 1 for each thread that paused at it */
	uint32_t refs;
	uint64_t serial;		/* grows along the provider's list */
	bool fresh;			/* retained enablings have not seen it */
	struct dtrace_listing *listing; /* whose element it is, or NULL */
	struct link unused;		/* of an element without ECBs: in prov->unused, or empty */
	const char *provname, *mod, *func, *name; /* all in names */
	uint32_t nameslen;
	char names[];
};

struct dtrace_provider {
	struct hnode by_name;
	struct link providing; /* in engine.providing, or empty */
	struct link sync;      /* in engine.unsynced, or empty */
	uint64_t noted;	       /* the number of the note by which it came there */
	struct link probes;    /* fresh ones last */
	struct link *fresh;    /* the first fresh one, or &probes */
	struct link listings, unused;
	uint32_t nprobes, nenabled;
	uint32_t nfuncs; /* probes with the name of a function */
	uint32_t number; /* in engine.providers */
	uint64_t serial; /* never used again */
	uint64_t key;	 /* of several that have the same name */
	dtrace_pattr_t attr;
	dtrace_ppriv_t priv;
	const dtrace_provider_ops_t *ops;
	void *arg;
	char name[DTRACE_PROVNAMELEN];
};

/* probe_desc - fill in number and names of a probe; provname: the name of its provider. */
void probe_desc(const dtrace_probe_t *probe, const char *provname, dtrace_probedesc_t *desc);
/* probe_matches_within - [L] return whether module, function and name match. */
bool probe_matches_within(dtrace_probe_t *probe, const struct glob_desc *g);
/*
 * provider_is_indexed - [L] return whether probe_first_indexed() and probe_next_indexed() find all
 * probes of a provider that match: the description names one function, or no probe has one, and one
 * name.
 */
bool provider_is_indexed(const dtrace_provider_t *prov, const struct glob_desc *g);
/*
 * probe_first_indexed - [L] return a probe that matches, by the hash of its names; NULL: none does.
 */
dtrace_probe_t *probe_first_indexed(const dtrace_provider_t *prov, const struct glob_desc *g);
/* probe_next_indexed - [L] return the next one after a probe that was found so, or NULL. */
dtrace_probe_t *probe_next_indexed(dtrace_probe_t *probe, const struct glob_desc *g);
/*
 * probe_unref - [L] give a reference back; without references, the probe is freed after a grace
 * period.
 */
void probe_unref(dtrace_probe_t *probe);
/* probe_attach - [L] add an ECB; the first enables the probe. -ENOMEM, or the provider's error. */
int probe_attach(dtrace_probe_t *probe, struct ecb *ecb);
/* probe_detach - [L] remove an ECB; the last disables the probe. The ECB keeps its reference. */
void probe_detach(dtrace_probe_t *probe, struct ecb *ecb);
/* provider_note_sync - [L] note that provider_sync_all() is to call sync of a provider. */
void provider_note_sync(dtrace_provider_t *prov);
/*
 * provider_sync_all - call sync of all providers that are noted now. The sync lock is taken for
 * each of them: others wait for one provider only. No lock is held. May sleep.
 */
void provider_sync_all(void);
/*
 * provider_sync_killable - the same; -EINTR: a fatal signal came, and providers may still be noted.
 */
int provider_sync_killable(void);
/*
 * provider_sync_soon - call sync of all providers that were noted, or leave that to a thread that
 * does it now. No lock is held. May sleep, but does not wait for other threads' calls.
 */
void provider_sync_soon(void);
/*
 * provider_provide_all - let all providers that a session sees create the probes that desc may
 * name; see the operations prepare and provide. The session's lock may be held, and no other one:
 * the user's turn is taken after prepare. -EINTR, or the first error of a provider. May sleep.
 */
int provider_provide_all(const dtrace_state_t *state, const dtrace_probedesc_t *desc);
/* provider_next - [L] return the first provider with a number above that one, or NULL. */
dtrace_provider_t *provider_next(uint32_t number);
/* provider_visible - [L] return whether a session with these credentials sees the provider. */
bool provider_visible(const dtrace_provider_t *prov, const struct dtrace_cred *cred);
/*
 * provider_name - [L] return the name of a visible provider for a session with these credentials:
 * buf, or prov->name.
 */
const char *provider_name(const dtrace_provider_t *prov, const struct dtrace_cred *cred,
			  char buf[DTRACE_PROVNAMELEN]);

/*
 * probe_create_at - [L] add a probe to a provider, as an element of a listing; names fit. NULL: no
 * memory.
 */
dtrace_probe_t *probe_create_at(dtrace_listing_t *l, uint32_t nth,
				const struct dtrace_listed *names, const char *name, void *parg);
/* probe_forget - [L] begin the end of a probe: disable it, and remove its ECBs and its names. */
void probe_forget(dtrace_probe_t *probe);
/*
 * probes_end_list - complete the end of all probes in a list, which their members unused make: wait
 * for firings, and free the probes. No lock held; may sleep.
 */
void probes_end_list(struct link *list);
/* probe_remove_unused - [L] end a probe that no firing can have seen. */
void probe_remove_unused(dtrace_probe_t *probe);

#endif
