/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * enabling.h - clauses of programs, and the ECBs that tie them to probes. (enabling.c)
 *
 * The session's lock protects the list of its enablings and whatever is not published. The engine
 * lock protects the ECBs of a session and of a probe, and its tables by number and by pair.
 * Actions, bodies and clauses do not change once the enabling is complete: firings read them
 * without a lock.
 */
#ifndef DTRACE_ENGINE_ENABLING_H
#define DTRACE_ENGINE_ENABLING_H

#include "difo.h"
#include "engine_impl.h"
#include "glob.h"
#include "table.h"
#include "var.h"

struct agg;
struct action {
	dtrace_actkind_t kind;
	bool key;      /* part of an aggregation's tuple, a key */
	bool weight;   /* part of an aggregation's tuple, the weight */
	bool string;   /* a key whose bytes in the entry end with its NUL */
	bool recorded; /* action_records(), for firings */
	uint64_t arg, uarg;
	struct difo *difo;
	uint32_t size, offset, align; /* in the record, or in the aggregation's entry */
	/* of aggregating actions, and of the first of their tuple */
	struct agg *agg;
};
/* action_string_size - return the most bytes that a string key takes in an entry. */
static inline uint32_t action_string_size(const struct action *act)
{
	return (act->size + 7) & ~7U;
}

/* Predicate and actions, shared by all probe descriptions of a clause. */
struct body {
	struct body *next;
	struct hnode by_sections;
	dof_secidx_t pred_sec, act_sec;
	struct difo *pred;
	struct action *acts;
	uint32_t nacts;
	uint32_t size;	 /* of a record, header included */
	bool records;	 /* writes a record at all */
	bool speculates; /* speculate() */
	bool noted;	 /* its aggregations know their first ECB */
	/* if count() without keys is all that the clause does: its aggregation, else NULL */
	const struct agg *count;
	/*
	 * Units of work that are known in advance: of the predicate (without one, of everything),
	 * and of the actions if the predicate is true.
	 */
	uint64_t work_begin, work_acts;
};

struct clause {
	dtrace_probedesc_t desc;
	struct body *body;
	uint64_t uarg;
};

struct enabling {
	struct link link; /* of the session */
	struct clause *clauses;
	uint32_t nclauses;
	struct body *bodies;
	struct difo *difos;
	uint64_t charged;     /* bytes charged to the session for it */
	bool vtime;	      /* a clause uses vtimestamp */
	uint32_t naggs;	      /* aggregations of the session before it */
	struct var_mark mark; /* of definitions, when it began */
};

/*
 * The numbers that programs see of an ECB and its probe. They are the ECB's and the probe's, unless
 * another engine reads the buffers, which writes its own to them.
 */
struct ecb_numbers {
	dtrace_epid_t epid;
	dtrace_id_t id;
};

/* Enabling control block: the tie of a probe to one clause's actions. */
struct ecb {
	struct deferred deferred;
	dtrace_state_t *state;
	dtrace_probe_t *probe;
	const struct clause *clause;
	const struct body *body;
	dtrace_epid_t epid;
	struct ecb_numbers told;
	uint32_t index; /* in its probe's list [L] */
	uint32_t nth;	/* of its session on the probe, counted from 1 [L] */
	uint32_t first; /* index of the first ECB in its row (probe.h) [L] */
	uint32_t row;	/* elements behind it in its row, if it is the first; firings read it */
	uint64_t interrupts; /* for which the user is charged */
	bool alone; /* its description names one process, whose forked children are not traced */
	bool instruction; /* the user is charged for its probe, of which there are few */
	bool recorded;	  /* a record of it may be in a buffer */
	struct hnode by_epid;
	struct hnode by_pair; /* of its clause and probe */
	struct link link;     /* state->retired */
	struct link interval; /* state->intervals, if its provider has begin or bind */
	uint64_t retired;     /* snapshot count when its probe was destroyed */
	char seen[]; /* name of its provider, if the session has a PID namespace of its own */
};
/* ecb_provname - return the name of the ECB's provider in its session. Any context. */
const char *ecb_provname(const struct ecb *ecb);

/*
 * enabling_create - read and verify the clauses of a DOF, charge the session for them, and let
 * providers create the probes that they name. *bad_desc becomes the number of the refused
 * description, counted from 0, or -1. -EINVAL, -EPERM, -E2BIG, -ENOMEM, -ENOSPC or -EDQUOT with
 * a message in dof->err. -EINTR. May sleep.
 */
int enabling_create(dtrace_state_t *state, const struct dof *dof, int32_t *bad_desc,
		    struct enabling **out);
/* enabling_free - free an enabling without ECBs, and uncharge the session. */
void enabling_free(dtrace_state_t *state, struct enabling *en);
/*
 * enabling_begin - [L] let the session's probes count their intervals from now, if no other session
 * that has begun has them.
 */
void enabling_begin(const dtrace_state_t *state);
/* enabling_bind - [L] let the session's probes fire on cpu, the only CPU that it traces. */
void enabling_bind(const dtrace_state_t *state, uint32_t cpu);
/* The state of one pass of matching. */
struct matching {
	struct glob_desc globs; /* of one clause at a time */
	struct engine_pause pause;
	/*
	 * The serial number of the newest probe when the pass began. dtrace_provider_match()
	 * matches later probes. A pass, which goes from clause to clause, would attach only the
	 * rest of the clauses, but clauses must be attached in the order in which they run.
	 */
	uint64_t newest;
	bool found; /* clauses match probes that have come */
};
/*
 * enabling_match - attach the clauses of an enabling to all probes that they match. *n becomes the
 * number of new ECBs. The enabling is in the session's list already, so that
 * dtrace_provider_match() matches the probes that come meanwhile. Takes the engine lock, and
 * pauses. -EDQUOT with a message. -EINTR.
 */
int enabling_match(dtrace_state_t *state, struct enabling *en, uint32_t *n, struct dof_err *err);
/* Probes that have come: some of them, or elements of a listing that the caller keeps. */
struct fresh {
	dtrace_probe_t **probes; /* NULL: elements */
	dtrace_listing_t *listing;
	uint32_t from, n; /* from: the first element */
};
/*
 * enabling_match_fresh - [L] attach the clauses of all sessions to new probes of a provider, which
 * the caller holds. Pauses. A fatal signal does not end it: the sessions of others would miss the
 * probes.
 */
void enabling_match_fresh(struct matching *m, dtrace_provider_t *prov, const struct fresh *fresh);
/*
 * enabling_drop - detach all ECBs of an enabling that has left its list; en NULL: of the session.
 * Return what the caller passes to deferred_free(). Takes the engine lock, and pauses. May sleep.
 */
struct deferred *enabling_drop(dtrace_state_t *state, const struct enabling *en);
/*
 * enabling_undo - drop and free the session's last enabling, with its variables and aggregations.
 * May sleep.
 */
void enabling_undo(dtrace_state_t *state, struct enabling *en);
/* enabling_retire - [L] detach all ECBs of a probe that is being destroyed. */
void enabling_retire(dtrace_probe_t *probe);
/*
 * enabling_reap - free the retired ECBs that no record in a buffer can name. The session's lock is
 * held. Takes the engine lock, and pauses. May sleep.
 */
void enabling_reap(dtrace_state_t *state);
/* enabling_lookup - [L] return the ECB with that number, or NULL. */
struct ecb *enabling_lookup(dtrace_state_t *state, dtrace_epid_t epid);
/* action_records - return whether an action has data in the record, perhaps of size 0. */
bool action_records(const struct action *act);

#endif
