/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fire.c - a probe fires: for each ECB the predicate runs, then the actions, into buffers of this
 * CPU.
 *
 * What a session's clauses do in one firing is bounded: see dif_charge(). So is what the sessions of a user
 * do together. A session that has used up its work is left out for the rest of the firing, so that it
 * takes nothing from other users'.
 *
 * All of it is probe context. What belongs to a CPU (struct firing, struct state_cpu) needs no
 * lock, since a probe that fires while another is handled on the same CPU is dropped and counted.
 */
#include "core.h"

struct fire_record {		/* where an ECB's record is being built */
	uint8_t *at;		/* NULL: the ECB records nothing */
	uint64_t spec;		/* the speculation it goes to, 0: the principal buffer */
	bool gone;		/* that has been discarded since */
};

static void fire_error(struct firing *f, const struct dtrace_fire *fire,
		       const dtrace_state_t *only);

/* ---- actions ---- */

/* The sizes that there are one by one: a memcpy of a size not known here is dear for so little. */
static void action_put_int(uint8_t *dst, uint64_t value, uint32_t size)
{
	switch (size) {
	case 1:
		memcpy(dst, &value, 1);
		break;
	case 2:
		memcpy(dst, &value, 2);
		break;
	case 4:
		memcpy(dst, &value, 4);
		break;
	case 8:
		memcpy(dst, &value, 8);
		break;
	default:
		core_assert(size < 8);
		memcpy(dst, &value, size < 8 ? size : 8);
		break;
	}
}

static void action_value(struct firing *f, const struct action *act, uint8_t *dst)
{
	uint64_t value = dif_run(f, act->difo);

	if (f->faulted || !act->size)
		return;
	if (act->difo->rtype.dtdt_flags & (DIF_TF_BYREF | DIF_TF_BYUREF))
		mem_copy_value(f, dst, value, act->size, &act->difo->rtype);
	else
		action_put_int(dst, value, act->size);
}

static void action_tracemem(struct firing *f, const struct action *act, uint8_t *dst)
{
	uint64_t addr = dif_run(f, act->difo);

	if (f->faulted)
		return;
	if (act->difo->rtype.dtdt_flags & DIF_TF_BYUREF)
		mem_load_user(f, dst, addr, act->size);
	else
		mem_load(f, dst, addr, act->size);
}

/* The memory that an address and a length name, behind its length. */
static void action_printm(struct firing *f, const struct action *act, uint8_t *dst)
{
	uint64_t addr = dif_run(f, act->difo), ref[2];

	if (f->faulted || !mem_load(f, ref, addr, sizeof(ref)))
		return;
	if (ref[1] > act->arg) {
		dif_fault(f, DTRACEFLT_ILLOP, 0);
		return;
	}
	memcpy(dst, &ref[1], sizeof(ref[1]));
	if (!dif_charge_bytes(f, act->arg))
		return;
	if (ref[1])
		mem_load(f, dst + sizeof(ref[1]), ref[0], ref[1]);
	memset(dst + sizeof(ref[1]) + ref[1], 0, act->arg - ref[1]);
}

static void action_stack(struct firing *f, const struct action *act, uint8_t *dst)
{
	uint32_t skip = (uint32_t)f->fire->caller_skip, want = (uint32_t)act->arg, n;
	uint8_t *top = f->scratch_top;
	uint64_t *pcs = mem_alloc(f, (uint64_t)(want + skip) * 8);

	f->scratch_top = top;
	if (!pcs)
		return;
	n = port_stack(pcs, want + skip, f->fire->regs);
	if (!dif_charge(f, (uint64_t)n * WORK_KFRAME))
		return;
	n = n > skip ? n - skip : 0;
	memcpy(dst, pcs + skip, n * 8);
	memset(dst + n * 8, 0, (want - n) * 8);
}

static void action_usym(struct firing *f, const struct action *act, uint8_t *dst)
{
	uint64_t addr = dif_run(f, act->difo);

	action_put_int(dst, firing_sees_process(f) ? firing_numbers(f)->pid : 0, 8);
	action_put_int(dst + 8, addr, 8);
}

#ifndef __KERNEL__
/* Is what the action is about to record within its place, and that within the record? */
static bool action_holds(const struct firing *f, const struct action *act)
{
	uint64_t end = (uint64_t)act->offset + act->size;

	if (!act->key && end > f->ecb->body->size)
		return false;
	switch (act->kind) {
	case DTRACEACT_PRINTM:
		return act->size == 8 + act->arg;
	case DTRACEACT_STACK:
		return act->size == act->arg * 8;
	case DTRACEACT_USTACK:
	case DTRACEACT_JSTACK:
		return act->size >= 8 + (uint64_t)DTRACE_USTACK_NFRAMES(act->arg) * 8 +
					    DTRACE_USTACK_STRSIZE(act->arg);
	case DTRACEACT_USYM:
	case DTRACEACT_UMOD:
	case DTRACEACT_UADDR:
		return act->size == 16;
	case DTRACEACT_SYM:
	case DTRACEACT_MOD:
		return act->size == 8;
	default:
		return true;
	}
}
#endif

/* Record an action's data at dst. */
static void action_record(struct firing *f, const struct action *act, uint8_t *dst)
{
	core_assert(dst && action_holds(f, act));
	switch (act->kind) {
	case DTRACEACT_TRACEMEM:
		action_tracemem(f, act, dst);
		break;
	case DTRACEACT_PRINTM:
		action_printm(f, act, dst);
		break;
	case DTRACEACT_STACK:
		action_stack(f, act, dst);
		break;
	case DTRACEACT_USTACK:
	case DTRACEACT_JSTACK:
		ustack_record(f, dst, act->size, DTRACE_USTACK_NFRAMES(act->arg),
			      DTRACE_USTACK_STRSIZE(act->arg));
		break;
	case DTRACEACT_USYM:
	case DTRACEACT_UMOD:
	case DTRACEACT_UADDR:
		action_usym(f, act, dst);
		break;
	case DTRACEACT_SYM:
	case DTRACEACT_MOD:
		action_put_int(dst, dif_run(f, act->difo), 8);
		break;
	default:
		if (act->difo)
			action_value(f, act, dst);
		break;
	}
}

static void action_add(struct firing *f, const struct agg *agg, const uint8_t *key, int64_t value,
		       int64_t weight)
{
	enum agg_result result = agg_add(f, agg, key, value, weight);

	if (port_likely(result == AGG_ADDED))
		return;
	if (result == AGG_DROPPED)
		f->sc->count.dtst_aggdrops++;
	else
		port_wake(f->state->cookie);
}

/* Word by word, which for the few that most keys have is cheaper than to set up a memset. */
static inline void action_clear(uint8_t *from, const uint8_t *end)
{
	for (; from < end; from += 8) {
		*(uint64_t *)(void *)from = 0;
		core_barrier();		/* or the compiler makes it a memset */
	}
}

/*
 * An entry with the keys of a tuple, or NULL. They are compared with what lies between them: all
 * zeros.
 */
static port_noinline uint8_t *action_keys(struct firing *f, const struct action *first)
{
	const struct agg *agg = first->agg;
	uint8_t *key = mem_alloc_free(f, agg->value);

	if (!key)
		return NULL;
	action_clear(key, key + agg->value);
	for (uint32_t i = 0; i < agg->nkeys && !f->faulted; i++) {
		f->action = &first[i];
		core_assert((uint64_t)first[i].offset + first[i].size <= agg->value);
		action_record(f, &first[i], key + first[i].offset);
	}
	return f->faulted ? NULL : key;
}

/* Aggregate: the tuple's actions from first on; its last, or NULL after a fault. */
static const struct action *action_aggregate(struct firing *f, const struct action *first)
{
	static const dtrace_aggrec_t no_keys;	/* the header is the entry's own */
	const struct agg *agg = first->agg;
	const struct action *act = first + agg->nkeys;
	const uint8_t *key = (const uint8_t *)&no_keys;
	int64_t value = 0, weight = 1;
	uint8_t *top = f->scratch_top;

	if (agg->nkeys)
		key = action_keys(f, first);
	if (!key)
		return NULL;
	if (port_unlikely(act->weight)) {
		f->action = act;
		weight = (int64_t)dif_run(f, act++->difo);
		if (f->faulted)
			return NULL;
	}
	f->action = act;
	if (act->difo) {
		value = (int64_t)dif_run(f, act->difo);
		if (f->faulted)
			return NULL;
	}
	action_add(f, agg, key, value, weight);		/* may fault: the caller looks */
	f->scratch_top = top;
	return act;
}

static port_noinline void action_exit(struct firing *f, const struct action *act, uint8_t *dst)
{
	dtrace_state_t *st = f->state;
	int32_t status = (int32_t)dif_run(f, act->difo);

	if (f->faulted)
		return;
	memcpy(dst, &status, sizeof(status));
	port_write_once(&st->exited, true);
	if (port_cas(&st->activity, DTRACE_ACTIVITY_ACTIVE, DTRACE_ACTIVITY_DRAINING) ||
	    port_cas(&st->activity, DTRACE_ACTIVITY_WARMUP, DTRACE_ACTIVITY_DRAINING))
		port_wake(st->cookie);
}

/* Not for longer than the user may, with all sessions. */
static void action_chill(struct firing *f, const struct action *act)
{
	uint64_t ns = dif_run(f, act->difo), now = port_timestamp();

	if (f->faulted)
		return;
	if (account_chill(f->state->account, f->cpu, now, ns))
		port_delay(ns);
	else
		dif_fault(f, DTRACEFLT_ILLOP, 0);
}

static void action_raise(struct firing *f, const struct action *act)
{
	uint64_t sig = dif_run(f, act->difo);

	if (f->faulted)
		return;
	if (sig < 1 || sig > 64)
		dif_fault(f, DTRACEFLT_ILLOP, 0);
	else if (mem_user_destructible(f, 0))
		port_raise((unsigned int)sig);
}

/* A record in a buffer names it, so that it must not be forgotten too soon. */
static inline void ecb_note_recorded(const struct ecb *ecb)
{
	if (!ecb->recorded)
		port_write_once((bool *)&ecb->recorded, true);
}

static void ecb_keep(struct firing *f, const struct ecb *ecb, const struct fire_record *rec)
{
	dtrace_rechdr_t hdr = { ecb->epid, ecb->body->size, firing_timestamp(f) };

	memcpy(rec->at, &hdr, sizeof(hdr));
	ecb_note_recorded(ecb);
	if (port_unlikely((int64_t)(hdr.dtrh_timestamp - port_read_once(&ecb->state->alive)) >
			  (int64_t)DTRACE_DEADMAN_TIMEOUT))
		state_kill(ecb->state);
	if (rec->spec) {
		speculation_keep(f, rec->spec, hdr.dtrh_size);
		return;
	}
	if (buffer_commit(&f->sc->buffer, hdr.dtrh_size))
		port_wake(f->state->cookie);
}

/*
 * From here on the record, if the clause has one, goes to a speculation. False: none of that number is
 * active, so nothing more happens.
 */
static bool action_speculate(struct firing *f, const struct action *act, struct fire_record *rec)
{
	uint64_t id = dif_run(f, act->difo);
	const struct body *b = f->ecb->body;

	if (f->faulted)
		return false;
	if (!b->records)
		return speculation_active(f, id);
	rec->at = speculation_reserve(f, id, b->size);
	rec->spec = id;
	return rec->at != NULL;
}

/* What the clause has speculated is complete: nothing is recorded after commit(). */
static void action_commit(struct firing *f, const struct action *act, struct fire_record *rec)
{
	uint64_t id = dif_run(f, act->difo);

	if (f->faulted)
		return;
	if (rec->spec && rec->at && !rec->gone) {
		ecb_keep(f, f->ecb, rec);
		rec->at = NULL;
	}
	speculation_commit(f, id);
}

static void action_discard(struct firing *f, const struct action *act, struct fire_record *rec)
{
	uint64_t id = dif_run(f, act->difo);

	rec->gone |= rec->spec && id == rec->spec;
	speculation_discard(f, id);
}

/* Actions that record nothing. False: the clause ends here, without a record. */
static port_noinline bool action_other(struct firing *f, const struct action *act,
				       struct fire_record *rec)
{
	switch (act->kind) {
	case DTRACEACT_SPECULATE:
		return action_speculate(f, act, rec);
	case DTRACEACT_COMMIT:
		action_commit(f, act, rec);
		break;
	case DTRACEACT_DISCARD:
		action_discard(f, act, rec);
		break;
	case DTRACEACT_STOP:
		if (mem_user_destructible(f, 0))
			port_stop();
		break;
	case DTRACEACT_RAISE:
		action_raise(f, act);
		break;
	case DTRACEACT_CHILL:
		action_chill(f, act);
		break;
	case DTRACEACT_BREAKPOINT:
		port_breakpoint();
		break;
	case DTRACEACT_PANIC:
		port_panic("dtrace: panic action");
		break;
	default:			/* a DIFEXPR without value */
		dif_run(f, act->difo);
		break;
	}
	return true;
}

/* ---- ECBs ---- */

/* Run the actions. False: no record. */
static bool ecb_run_actions(struct firing *f, const struct body *b, struct fire_record *rec)
{
	const struct action *act = b->acts, *end = b->nacts ? act + b->nacts : act;
	bool go_on = true;

	for (; act < end && go_on && !f->faulted; act++) {
		f->action = act;
		if (act->agg) {
			act = action_aggregate(f, act);
			if (!act)
				return false;
		} else if (act->kind == DTRACEACT_EXIT) {
			action_exit(f, act, rec->at + act->offset);
		} else if (action_records(act)) {
			action_record(f, act, rec->at + act->offset);
		} else {
			go_on = action_other(f, act, rec);
		}
	}
	return go_on && !f->faulted;
}

/*
 * A fault: count it and let the session's ERROR clauses know, unless it happened in one of them.
 * What f says of the firing is put back afterwards.
 */
static port_noinline void ecb_fault(struct firing *f, const struct ecb *ecb, bool error)
{
	uint64_t action = f->action ? (uint64_t)(f->action - ecb->body->acts) + 1 : 0;	/* its number */
	uint64_t offset = f->pc == DIF_NO_PC ? UINT64_MAX : f->pc * sizeof(dif_instr_t);
	uint64_t args[6] = { 0, ecb->epid, action, offset, f->fault, f->fault_addr };
	struct dtrace_fire fire = { .args = args, .nargs = 6, .anywhere = true };
	const struct dtrace_fire *outer_fire = f->fire;
	dtrace_probe_t *outer_probe = f->probe;

	f->faulted = false;
	f->sc->work -= WORK_FAULT;
	if (error) {
		f->sc->count.dtst_dblerrors++;
		return;
	}
	if (f->fault == DTRACEFLT_WORK)
		f->sc->work = DTRACE_WORK_ERROR;
	f->sc->count.dtst_errors++;
	ecb_note_recorded(ecb);		/* by ERROR's records */
	fire_error(f, &fire, ecb->state);
	f->probe = outer_probe;
	f->fire = outer_fire;
}

/*
 * What others have left in scratch is not for a session that may not see the kernel, nor are its
 * addresses.
 */
static port_inline void ecb_clear_scratch(struct firing *f)
{
	f->scratch_top = f->scratch;
	f->hide = 0;
	if (f->state->cred.privs & DTRACE_PRIV_KERNEL)
		return;
	f->hide = UINT64_MAX;
	memset(f->scratch, 0, (size_t)(f->scratch_used - f->scratch));
	f->scratch_used = f->scratch;
}

static port_noinline bool ecb_predicate(struct firing *f, const struct body *b)
{
	return dif_run(f, b->pred) && !f->faulted && dif_charge(f, b->work_acts);
}

static uint64_t work_less(uint64_t limit, uint64_t n)
{
	return limit > n ? limit - n : 0;
}

/*
 * What the session may still be given in this firing: granted is what it has been given, used what all
 * sessions of its user have besides what each begins with, so that many sessions do not multiply what a
 * user may do.
 */
static uint64_t work_limit(const struct firing *f, uint64_t granted, uint64_t used)
{
	bool root = (f->state->cred.privs & DTRACE_PRIV_ALL) == DTRACE_PRIV_ALL;
	uint64_t limit = root ? DTRACE_WORK_ROOT : DTRACE_WORK_USER;
	uint64_t own = work_less(limit, granted), all = work_less(limit, used);

	return own < all ? own : all;
}

/*
 * Has the firing gone on for too long since the first session of the user asked, whatever was charged for,
 * or has the consumer been dead for so long that the session is to be ended?
 */
static bool work_late(struct firing *f, uint64_t now, uint64_t since)
{
	if ((int64_t)(now - port_read_once(&f->state->alive)) > (int64_t)DTRACE_DEADMAN_TIMEOUT) {
		state_kill(f->state);
		if (port_read_once(&f->state->activity) == DTRACE_ACTIVITY_KILLED)
			return true;
	}
	return now - since > DTRACE_WORK_TIME;
}

port_noinline bool fire_work_more(struct firing *f)
{
	struct dtrace_account *account = f->state->account;
	struct state_cpu *sc = f->sc;
	uint64_t need = (uint64_t)-sc->work, now, since, used, limit, grant;

	if (f->helping) {
		sc->work = 0;
		dif_fault(f, DTRACEFLT_ILLOP, 0);
		return false;
	}
	if (sc->more != f->hit) {
		sc->more = f->hit;
		sc->granted = f->state->slice;
	}
	now = port_timestamp();
	used = account_work(account, f->cpu, f->hit, now, &since);
	limit = work_limit(f, sc->granted, used);
	if (sc->spent != f->hit && need <= limit && !work_late(f, now, since)) {
		grant = need + f->state->slice;
		if (grant > limit)
			grant = limit;
		account_work_add(account, f->cpu, grant);
		sc->granted += grant;
		sc->work += (int64_t)grant;
		return true;
	}
	sc->spent = f->hit;
	sc->work = 0;
	dif_fault(f, DTRACEFLT_WORK, 0);
	return false;
}

uint64_t fire_work_left(const struct firing *f)
{
	const struct state_cpu *sc = f->sc;
	uint64_t granted = sc->more == f->hit ? sc->granted : f->state->slice;
	uint64_t left = sc->work > 0 ? (uint64_t)sc->work : 0, used, since;

	if (sc->spent == f->hit)
		return left;
	used = account_work(f->state->account, f->cpu, f->hit, port_timestamp(), &since);
	return left + work_limit(f, granted, used);
}

/* work: what the session may do before fire_work_more is to be asked, the clause's beginning taken off. */
static port_inline void ecb_run_inline(struct firing *f, const struct ecb *ecb, int64_t work,
				       bool error)
{
	const struct body *b = ecb->body;
	struct fire_record rec = { 0 };
	bool keep = false;

	f->ecb = ecb;
	f->action = NULL;
	f->locals = f->sc->locals;
	f->strsize = f->state->strsize;
	f->strtok = f->sc->strtok;
	f->pc = DIF_NO_PC;
	f->faulted = false;
	f->sc->work = work;
	ecb_clear_scratch(f);
	if ((port_likely(work >= 0) || fire_work_more(f)) &&
	    (!b->pred || ecb_predicate(f, b))) {
		if (b->records && !b->speculates) {
			rec.at = buffer_reserve(&f->sc->buffer, b->size,
						port_read_once(&f->state->activity) ==
							DTRACE_ACTIVITY_COOLDOWN);
			if (!rec.at)
				f->sc->count.dtst_principaldrops++;
		}
		if (rec.at || !b->records || b->speculates)
			keep = ecb_run_actions(f, b, &rec);
	}
	if (f->faulted)
		ecb_fault(f, ecb, error);
	else if (keep && rec.at && !rec.gone)
		ecb_keep(f, ecb, &rec);
}

/* For what is rare. Where hits come by the million, what a call costs shows. */
static port_noinline void ecb_run(struct firing *f, const struct ecb *ecb, int64_t work, bool error)
{
	ecb_run_inline(f, ecb, work, error);
}

/* Probes of processes that the session may not look into are not for it. */
static inline bool ecb_allowed(const struct firing *f, const struct dtrace_fire *fire)
{
	return fire->anywhere || firing_sees_process(f);
}

enum fire_kind {
	FIRE_PROBE,		/* for all sessions */
	FIRE_TIMED,		/* by a timer, for users who have time of this CPU left */
	FIRE_BOUND,		/* the same, for those that trace on this CPU only */
	FIRE_SPECIAL,		/* BEGIN or END of one */
	FIRE_ERROR		/* ERROR */
};

static inline bool state_wants(const dtrace_state_t *st, enum fire_kind kind)
{
	return kind != FIRE_BOUND || st->opts[DTRACEOPT_CPU] != DTRACEOPT_UNSET;
}

/* ns that a timer's interrupt takes besides what the sessions do */
#define TIMED_COST	1000

/* Run an ECB in the time that the session's user has left on this CPU. */
static port_noinline void ecb_run_timed(struct firing *f, const struct ecb *ecb, int64_t work)
{
	struct dtrace_account *account = f->state->account;
	uint64_t began = port_timestamp(), rest = account_rest(account, f->cpu, began);

	if (rest) {
		f->sc->spent = f->hit;	/* nor do the session's other clauses run */
		f->sc->count.dtst_pauses++;
		if (rest < f->rest)
			f->rest = rest;
		return;
	}
	f->taken = true;
	ecb_run_inline(f, ecb, work, false);
	account_spend(account, f->cpu, port_timestamp() - began + TIMED_COST);
}

/*
 * Do a piece of what this CPU has to do for speculations that others have ended. work: what the session
 * may do in this firing, as for ecb_run; what is left of it, perhaps below 0, is the result.
 */
static port_noinline int64_t fire_clean(struct firing *f, int64_t work)
{
	int64_t piece = SPEC_CLEAN_FIRING;

	speculation_clean_cpu(f->state, f->sc, &piece);
	return work - (SPEC_CLEAN_FIRING - piece);
}

/*
 * Run the probe's ECBs, which are in list; with only, those of one session. The session must be in
 * the given activity (UINT32_MAX: in any). Inline: each caller gets what its constants leave of it.
 */
static port_inline void fire_ecbs(struct firing *f, dtrace_probe_t *probe,
				  const struct ecb_list *list, const struct dtrace_fire *fire,
				  const dtrace_state_t *only, uint32_t activity,
				  enum fire_kind kind)
{
	f->probe = probe;
	f->fire = fire;
	for (uint32_t i = 0; list && i < list->n; i++) {
		const struct ecb *ecb = port_read_once(&list->ecbs[i]);
		struct state_cpu *sc;
		dtrace_state_t *st;
		int64_t work;

		if (!ecb || (only && ecb->state != only))
			continue;
		st = ecb->state;
		if (activity != UINT32_MAX && port_load_acquire(&st->activity) != activity)
			continue;
		if (!state_wants(st, kind))
			continue;
		sc = &st->cpus[f->cpu];
		if (!sc->on) {
			sc->count.dtst_principaldrops += sc->absent;
			continue;
		}
		work = st->slice;
		if (sc->hit == f->hit) {
			if (port_unlikely(sc->spent == f->hit) &&
			    (kind != FIRE_ERROR || sc->work <= 0))
				continue;
			work = sc->work;
		}
		sc->hit = f->hit;
		f->state = st;
		f->sc = sc;
		if (!ecb_allowed(f, fire)) {
			sc->spent = f->hit;	/* it may not see any of this firing */
			continue;
		}
		if (port_unlikely(sc->spec_gen != port_read_once(&st->spec_gen)))
			work = fire_clean(f, work);
		work -= (int64_t)ecb->body->work_begin;
		if (kind == FIRE_PROBE)
			ecb_run_inline(f, ecb, work, false);
		else if (kind == FIRE_TIMED || kind == FIRE_BOUND)
			ecb_run_timed(f, ecb, work);
		else
			ecb_run(f, ecb, work, kind == FIRE_ERROR);
	}
}

static void fire_error(struct firing *f, const struct dtrace_fire *fire,
		       const dtrace_state_t *only)
{
	fire_ecbs(f, engine.error, port_load_acquire(&engine.error->ecbs), fire, only, UINT32_MAX,
		  FIRE_ERROR);
}

/*
 * A probe that fires while one is handled on this CPU: count it for each session that would have
 * seen it.
 */
static void fire_count_reentry(const dtrace_probe_t *probe, uint32_t cpu, enum fire_kind kind)
{
	const struct ecb_list *list = port_load_acquire(&probe->ecbs);
	const dtrace_state_t *last = NULL;

	for (uint32_t i = 0; list && i < list->n; i++) {
		const struct ecb *ecb = port_read_once(&list->ecbs[i]);

		if (!ecb || ecb->state == last)
			continue;
		last = ecb->state;
		if (!state_wants(last, kind))
			continue;
		if (port_load_acquire(&last->activity) == DTRACE_ACTIVITY_ACTIVE)
			last->cpus[cpu].count.dtst_reentries++;
	}
}

static void fire_begin(struct firing *f)
{
	f->have = 0;
	f->hit++;
	f->vtime = port_load_acquire(&engine.vtime);
	if (port_unlikely(f->vtime))
		f->began = port_timestamp();
}

static void fire_end(struct firing *f)
{
	if (port_unlikely(f->vtime))
		vtime_end(f);
}

static port_inline void fire_within(dtrace_probe_t *probe, const struct dtrace_fire *fire,
				    enum fire_kind kind)
{
	const struct ecb_list *list = port_load_acquire(&probe->ecbs);
	uint32_t cpu = port_cpu();
	struct firing *f = &engine.firings[cpu];

	if (port_unlikely(f->busy)) {
		fire_count_reentry(probe, cpu, kind);
	} else if (port_likely(list)) {
		port_write_once(&f->busy, 1);
		core_barrier();
		fire_begin(f);
		fire_ecbs(f, probe, list, fire, NULL, DTRACE_ACTIVITY_ACTIVE, kind);
		fire_end(f);
		core_barrier();
		port_write_once(&f->busy, 0);
	}
}

void dtrace_fire_within(dtrace_probe_t *probe, const struct dtrace_fire *fire)
{
	fire_within(probe, fire, FIRE_PROBE);
}

void dtrace_fire(dtrace_probe_t *probe, const struct dtrace_fire *fire)
{
	unsigned long flags = port_fire_enter();

	dtrace_fire_within(probe, fire);
	port_fire_exit(flags);
}

uint64_t dtrace_fire_timed(dtrace_probe_t *probe, const struct dtrace_fire *fire, bool bound)
{
	unsigned long flags = port_fire_enter();
	struct firing *f = &engine.firings[port_cpu()];
	uint64_t rest = 0;

	if (port_likely(!f->busy)) {
		f->taken = false;
		f->rest = UINT64_MAX;
	}
	if (bound)
		fire_within(probe, fire, FIRE_BOUND);
	else
		fire_within(probe, fire, FIRE_TIMED);
	if (port_likely(!f->busy) && !f->taken && f->rest != UINT64_MAX)
		rest = f->rest;
	port_fire_exit(flags);
	return rest;
}

void fire_special(dtrace_probe_t *probe, dtrace_state_t *state, uint32_t activity, uint32_t *cpu)
{
	struct dtrace_fire fire = { .anywhere = true };
	unsigned long flags = port_fire_enter();
	struct firing *f = &engine.firings[port_cpu()];

	*cpu = port_cpu();
	if (!PORT_WARN_ON(f->busy)) {
		port_write_once(&f->busy, 1);
		core_barrier();
		fire_begin(f);
		fire_ecbs(f, probe, port_load_acquire(&probe->ecbs), &fire, state, activity,
			  FIRE_SPECIAL);
		fire_end(f);
		core_barrier();
		port_write_once(&f->busy, 0);
	}
	port_fire_exit(flags);
}
