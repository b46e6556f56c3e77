/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fire.c - a probe fires: for each ECB the predicate runs, then the actions, into buffers of this
 * CPU.
 *
 * The work of a session's clauses in one firing is bounded: see dif_charge(). So is the work of all
 * sessions of a user together. A session that has used up its work is left out for the rest of the
 * firing, so that it takes nothing from other users'.
 *
 * All of it is probe context. The data of a CPU (struct mstate, struct state_cpu) needs no lock,
 * since a probe that fires while another is handled on the same CPU is dropped and counted.
 */
#include "account.h"
#include "agg.h"
#include "buffer.h"
#include "dif_mem.h"
#include "enabling.h"
#include "engine_impl.h"
#include "fire.h"
#include "probe.h"
#include "speculation.h"
#include "state.h"
#include "ustack.h"
#include "vtime.h"

struct fire_record {   /* where an ECB's record is being built */
	uint8_t *at;   /* NULL: the ECB records nothing */
	uint64_t spec; /* the speculation it goes to, 0: the principal buffer */
	bool gone;     /* that has been discarded since */
};

static void fire_error(struct mstate *m, const struct dtrace_fire *fire,
		       const dtrace_state_t *only);

/* ---- actions ---- */

/*
 * Store an integer of 1, 2, 4 or 8 bytes. A memcpy() of each known size is cheaper than one of a
 * variable size.
 */
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

/* Record the value of an expression. */
static void action_value(struct mstate *m, const struct action *act, uint8_t *dst)
{
	uint64_t value = dif_run(m, act->difo);

	if (m->faulted || !act->size)
		return;
	if (act->difo->rtype.dtdt_flags & (DIF_TF_BYREF | DIF_TF_BYUREF))
		mem_copy_value(m, dst, value, act->size, &act->difo->rtype);
	else
		action_put_int(dst, value, act->size);
}

/* Record the memory at the address that an expression gives. */
static void action_tracemem(struct mstate *m, const struct action *act, uint8_t *dst)
{
	uint64_t addr = dif_run(m, act->difo);

	if (m->faulted)
		return;
	if (act->difo->rtype.dtdt_flags & DIF_TF_BYUREF)
		mem_load_user(m, dst, addr, act->size);
	else
		mem_load(m, dst, addr, act->size);
}

/* Record the length of the memory that printm()'s argument names, and the memory behind it. */
static void action_printm(struct mstate *m, const struct action *act, uint8_t *dst)
{
	uint64_t addr = dif_run(m, act->difo), ref[2];

	if (m->faulted || !mem_load(m, ref, addr, sizeof(ref)))
		return;
	if (ref[1] > act->arg) {
		dif_fault(m, DTRACEFLT_ILLOP, 0);
		return;
	}
	memcpy(dst, &ref[1], sizeof(ref[1]));
	if (!dif_charge_bytes(m, act->arg))
		return;
	if (ref[1])
		mem_load(m, dst + sizeof(ref[1]), ref[0], ref[1]);
	memset(dst + sizeof(ref[1]) + ref[1], 0, act->arg - ref[1]);
}

/* Record the return addresses of the kernel, without the frames of the provider. */
static void action_stack(struct mstate *m, const struct action *act, uint8_t *dst)
{
	uint32_t skip = m->fire->caller_skip, want = (uint32_t)act->arg, n;
	uint8_t *top = m->scratch_top;
	uint64_t *pcs = mem_alloc(m, (uint64_t)(want + skip) * 8);

	m->scratch_top = top;
	if (!pcs)
		return;
	n = target_stack(pcs, want + skip, m->fire->regs);
	if (!dif_charge(m, (uint64_t)n * WORK_KFRAME))
		return;
	n = n > skip ? n - skip : 0;
	memcpy(dst, pcs + skip, n * 8);
	memset(dst + n * 8, 0, (want - n) * 8);
}

/* Record an address of the current process, with its number. */
static void action_usym(struct mstate *m, const struct action *act, uint8_t *dst)
{
	uint64_t addr = dif_run(m, act->difo);

	action_put_int(dst, mstate_sees_process(m) ? mstate_numbers(m)->pid : 0, 8);
	action_put_int(dst + 8, addr, 8);
}

#ifndef __KERNEL__
/* Return whether an action's data fits its part of the record, and that part fits the record. */
static bool action_holds(const struct mstate *m, const struct action *act)
{
	uint64_t end = (uint64_t)act->offset + act->size;

	if (!act->key && end > m->ecb->body->size)
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

/* Record the data of an action that is more than the value of an expression. */
static port_noinline void action_record_other(struct mstate *m, const struct action *act,
					      uint8_t *dst)
{
	switch (act->kind) {
	case DTRACEACT_TRACEMEM:
		action_tracemem(m, act, dst);
		break;
	case DTRACEACT_PRINTM:
		action_printm(m, act, dst);
		break;
	case DTRACEACT_STACK:
		action_stack(m, act, dst);
		break;
	case DTRACEACT_USTACK:
	case DTRACEACT_JSTACK:
		ustack_record(m, dst, act->size, DTRACE_USTACK_NFRAMES(act->arg),
			      DTRACE_USTACK_STRSIZE(act->arg));
		break;
	case DTRACEACT_USYM:
	case DTRACEACT_UMOD:
	case DTRACEACT_UADDR:
		action_usym(m, act, dst);
		break;
	case DTRACEACT_SYM:
	case DTRACEACT_MOD:
		action_put_int(dst, dif_run(m, act->difo), 8);
		break;
	default:
		if (act->difo)
			action_value(m, act, dst);
		break;
	}
}

/* Record an action's data at dst. */
static void action_record(struct mstate *m, const struct action *act, uint8_t *dst)
{
	core_assert(dst && action_holds(m, act));
	if (port_likely(act->kind == DTRACEACT_DIFEXPR))
		action_value(m, act, dst);
	else
		action_record_other(m, act, dst);
}

/* Aggregate a value; count a drop, and wake the consumer when the buffer has passed its limit. */
static void action_add(struct mstate *m, const struct agg *agg, const uint8_t *key, int64_t value,
		       int64_t weight)
{
	enum agg_result result = agg_add(m, agg, key, value, weight);

	if (port_likely(result == AGG_ADDED))
		return;
	if (result == AGG_DROPPED)
		m->sc->count.dtst_aggdrops++;
	else
		port_wake(m->state->cookie);
}

/* Clear words one by one, which is cheaper than memset() for the few that most keys have. */
static inline void action_clear(uint8_t *from, const uint8_t *end)
{
	for (; from < end; from += 8) {
		*(uint64_t *)(void *)from = 0;
		core_barrier(); /* or the compiler makes it a memset */
	}
}

/*
 * Return how many bytes less a string key takes than it may: those behind the word with its NUL,
 * whose last byte is 0 since all bytes behind the string are.
 */
static uint32_t action_string_rest(const struct action *act, const uint8_t *key)
{
	const uint8_t *end = key + action_string_size(act);

	for (; key < end; key += 8)
		if (!key[7])
			return (uint32_t)(end - key) - 8;
	return 0;
}

/*
 * Fill in the keys of a tuple with strings, each as early as the strings before it allow. m->keys
 * gets their size: nothing in scratch can tell it, since a program can write there.
 */
static port_noinline void action_string_keys(struct mstate *m, const struct action *first,
					     uint8_t *key)
{
	const struct agg *agg = first->agg;
	uint32_t saved = 0; /* bytes that the strings so far are shorter than they may be */

	for (uint32_t i = 0; i < agg->nkeys && !m->faulted; i++) {
		uint8_t *dst = key + first[i].offset - saved;

		m->action = &first[i];
		core_assert((uint64_t)first[i].offset + first[i].size <= agg->keys);
		action_record(m, &first[i], dst);
		if (first[i].string)
			saved += action_string_rest(&first[i], dst);
	}
	m->keys = agg->keys - saved;
}

/*
 * Return an entry in scratch with the keys of a tuple, or NULL after a fault. Keys are compared
 * with the bytes between them, which are zeros.
 */
static port_noinline uint8_t *action_keys(struct mstate *m, const struct action *first)
{
	const struct agg *agg = first->agg;
	uint8_t *key = mem_alloc_free(m, agg->keys);

	if (!key)
		return NULL;
	action_clear(key, key + agg->keys);
	if (agg->strings) {
		action_string_keys(m, first, key);
		return m->faulted ? NULL : key;
	}
	for (uint32_t i = 0; i < agg->nkeys && !m->faulted; i++) {
		m->action = &first[i];
		core_assert((uint64_t)first[i].offset + first[i].size <= agg->keys);
		action_record(m, &first[i], key + first[i].offset);
	}
	return m->faulted ? NULL : key;
}

/*
 * Run the actions of an aggregation from the first of its tuple on. Return the last, or NULL after
 * a fault.
 */
static const struct action *action_aggregate(struct mstate *m, const struct action *first)
{
	static const dtrace_aggrec_t no_keys; /* the header is the entry's own */
	const struct agg *agg = first->agg;
	const struct action *act = first + agg->nkeys;
	const uint8_t *key = (const uint8_t *)&no_keys;
	int64_t value = 0, weight = 1;
	uint8_t *top = m->scratch_top;

	if (agg->nkeys)
		key = action_keys(m, first);
	if (!key)
		return NULL;
	if (port_unlikely(act->weight)) {
		m->action = act;
		weight = (int64_t)dif_run(m, act++->difo);
		if (m->faulted)
			return NULL;
	}
	m->action = act;
	if (act->difo) {
		value = (int64_t)dif_run(m, act->difo);
		if (m->faulted)
			return NULL;
	}
	action_add(m, agg, key, value, weight); /* may fault: the caller looks */
	m->scratch_top = top;
	return act;
}

/* Record the status of exit(), and end tracing. */
static port_noinline void action_exit(struct mstate *m, const struct action *act, uint8_t *dst)
{
	dtrace_state_t *st = m->state;
	int32_t status = (int32_t)dif_run(m, act->difo);

	if (m->faulted)
		return;
	memcpy(dst, &status, sizeof(status));
	port_write_once(&st->exited, true);
	if (port_cas(&st->activity, DTRACE_ACTIVITY_ACTIVE, DTRACE_ACTIVITY_DRAINING) ||
	    port_cas(&st->activity, DTRACE_ACTIVITY_WARMUP, DTRACE_ACTIVITY_DRAINING))
		port_wake(st->cookie);
}

/* Stop this CPU, if the user may still do so for as long: over all sessions there is a limit. */
static void action_chill(struct mstate *m, const struct action *act)
{
	uint64_t ns = dif_run(m, act->difo), now = port_timestamp();

	if (m->faulted)
		return;
	if (account_chill(m->state->account, m->cpu, now, ns))
		port_delay(ns);
	else
		dif_fault(m, DTRACEFLT_ILLOP, 0);
}

/* Send a signal to the current process. */
static void action_raise(struct mstate *m, const struct action *act)
{
	uint64_t sig = dif_run(m, act->difo);

	if (m->faulted)
		return;
	if (sig < 1 || sig > 64)
		dif_fault(m, DTRACEFLT_ILLOP, 0);
	else if (mem_user_destructible(m, 0))
		target_raise((unsigned int)sig);
}

/* Note that a record in a buffer names the ECB, so that it is not freed too soon. */
static inline void ecb_note_recorded(const struct ecb *ecb)
{
	if (!ecb->recorded)
		port_write_once((bool *)&ecb->recorded, true);
}

/*
 * Write the header of a record, and make the record part of its buffer. Kill the session if its
 * consumer has been dead for too long.
 */
static void ecb_keep(struct mstate *m, const struct ecb *ecb, const struct fire_record *rec)
{
	dtrace_rechdr_t hdr = {ecb->epid, ecb->body->size, mstate_timestamp(m)};

	memcpy(rec->at, &hdr, sizeof(hdr));
	ecb_note_recorded(ecb);
	if (port_unlikely((int64_t)(hdr.dtrh_timestamp - port_read_once(&ecb->state->alive)) >
			  (int64_t)DTRACE_DEADMAN_TIMEOUT))
		state_kill(ecb->state);
	if (rec->spec) {
		speculation_keep(m, rec->spec, hdr.dtrh_size);
		return;
	}
	if (buffer_commit(&m->sc->buffer, hdr.dtrh_size))
		port_wake(m->state->cookie);
}

/*
 * Let the record, if the clause has one, go to a speculation. Return false, which ends the clause,
 * if the speculation is not active.
 */
static bool action_speculate(struct mstate *m, const struct action *act, struct fire_record *rec)
{
	uint64_t id = dif_run(m, act->difo);
	const struct body *b = m->ecb->body;

	if (m->faulted)
		return false;
	if (!b->records)
		return speculation_active(m, id);
	rec->at = speculation_reserve(m, id, b->size);
	rec->spec = id;
	return rec->at;
}

/*
 * Commit a speculation. Its records of this clause are complete, since nothing is recorded after
 * commit().
 */
static void action_commit(struct mstate *m, const struct action *act, struct fire_record *rec)
{
	uint64_t id = dif_run(m, act->difo);

	if (m->faulted)
		return;
	if (rec->spec && rec->at && !rec->gone) {
		ecb_keep(m, m->ecb, rec);
		rec->at = NULL;
	}
	speculation_commit(m, id);
}

/* Discard a speculation, perhaps the one for which the clause records. */
static void action_discard(struct mstate *m, const struct action *act, struct fire_record *rec)
{
	uint64_t id = dif_run(m, act->difo);

	rec->gone |= rec->spec && id == rec->spec;
	speculation_discard(m, id);
}

/* Run an action that records nothing. Return false if the clause ends here, without a record. */
static port_noinline bool action_other(struct mstate *m, const struct action *act,
				       struct fire_record *rec)
{
	switch (act->kind) {
	case DTRACEACT_SPECULATE:
		return action_speculate(m, act, rec);
	case DTRACEACT_COMMIT:
		action_commit(m, act, rec);
		break;
	case DTRACEACT_DISCARD:
		action_discard(m, act, rec);
		break;
	case DTRACEACT_STOP:
		if (mem_user_destructible(m, 0))
			target_stop();
		break;
	case DTRACEACT_RAISE:
		action_raise(m, act);
		break;
	case DTRACEACT_CHILL:
		action_chill(m, act);
		break;
	case DTRACEACT_BREAKPOINT:
		target_breakpoint();
		break;
	case DTRACEACT_PANIC:
		target_panic("dtrace: panic action");
		break;
	default: /* a DIFEXPR without value */
		dif_run(m, act->difo);
		break;
	}
	return true;
}

/* ---- ECBs ---- */

/* Run the actions of a clause. Return false if its record is not to be kept. */
static bool ecb_run_actions(struct mstate *m, const struct body *b, struct fire_record *rec)
{
	const struct action *act = b->acts, *end = b->nacts ? act + b->nacts : act;
	bool go_on = true;

	for (; act < end && go_on && !m->faulted; act++) {
		m->action = act;
		if (act->agg) {
			act = action_aggregate(m, act);
			if (!act)
				return false;
		} else if (act->kind == DTRACEACT_EXIT) {
			action_exit(m, act, rec->at + act->offset);
		} else if (act->recorded) {
			action_record(m, act, rec->at + act->offset);
		} else {
			go_on = action_other(m, act, rec);
		}
	}
	return go_on && !m->faulted;
}

/*
 * Count a fault, and run the session's ERROR clauses, unless one of them has faulted. The mstate
 * describes the outer firing again afterwards.
 */
static port_noinline void ecb_fault(struct mstate *m, const struct ecb *ecb, bool error)
{
	uint64_t action = m->action ? (uint64_t)(m->action - ecb->body->acts) + 1 : 0;
	uint64_t offset = m->pc == DIF_NO_PC ? UINT64_MAX : m->pc * sizeof(dif_instr_t);
	uint64_t args[6] = {
		0, port_read_once(&ecb->told.epid), action, offset, m->fault, m->fault_addr};
	struct dtrace_fire fire = {
		.args = args, .nargs = 6, .no_process = true, .err = m->fire->err};
	const struct dtrace_fire *outer_fire = m->fire;
	dtrace_probe_t *outer_probe = m->probe;

	m->faulted = false;
	m->sc->work -= WORK_FAULT;
	if (error) {
		m->sc->count.dtst_dblerrors++;
		return;
	}
	if (m->fault == DTRACEFLT_WORK)
		m->sc->work = DTRACE_WORK_ERROR;
	m->sc->count.dtst_errors++;
	ecb_note_recorded(ecb); /* by ERROR's records */
	fire_error(m, &fire, ecb->state);
	m->probe = outer_probe;
	m->fire = outer_fire;
}

/*
 * Keep what the session's clauses have left in scratch in this firing, since their this-> variables
 * may point there, unless that is too much. Else empty scratch. A session that may not see the
 * kernel gets it cleared of what others have left, and gets handles instead of addresses.
 */
static port_inline void ecb_prepare_scratch(struct mstate *m)
{
	if (m->kept_hit == m->hit && m->kept == m->state &&
	    m->scratch_top - m->scratch <= DTRACE_SCRATCHKEEP) {
		m->scratch_end = m->scratch_top + DTRACE_SCRATCHSIZE;
		return;
	}
	m->kept_hit = m->hit;
	m->kept = m->state;
	m->scratch_top = m->scratch;
	m->scratch_end = m->scratch + DTRACE_SCRATCHSIZE;
	m->hide = m->state->hide;
	if (m->state->cred.privs & DTRACE_PRIV_KERNEL)
		return;
	m->hide = UINT64_MAX;
	memset(m->scratch, 0, (size_t)(m->scratch_used - m->scratch));
	m->scratch_used = m->scratch;
}

/* Return whether the predicate is true and the work of the actions has been charged. */
static port_noinline bool ecb_predicate(struct mstate *m, const struct body *b)
{
	return dif_run(m, b->pred) && !m->faulted && dif_charge(m, b->work_acts);
}

/* Return limit less n, but at least 0. */
static uint64_t work_less(uint64_t limit, uint64_t n)
{
	return limit > n ? limit - n : 0;
}

/*
 * Return the units that a session can still be granted in this firing. granted: its units so far;
 * used: the units of all sessions of its user, without the initial grant of each. So many sessions
 * do not multiply the work of a user.
 */
static uint64_t work_limit(const struct mstate *m, uint64_t granted, uint64_t used)
{
	bool root = (m->state->cred.privs & DTRACE_PRIV_ALL) == DTRACE_PRIV_ALL;
	uint64_t limit = root ? DTRACE_WORK_ROOT : DTRACE_WORK_USER;
	uint64_t own = work_less(limit, granted), all = work_less(limit, used);

	return own < all ? own : all;
}

/*
 * Return whether the firing has gone on for too long since a session of the user first asked for
 * more, or the consumer has been dead for so long that the session has been killed.
 */
static bool work_late(struct mstate *m, uint64_t now, uint64_t since)
{
	if ((int64_t)(now - port_read_once(&m->state->alive)) > (int64_t)DTRACE_DEADMAN_TIMEOUT) {
		state_kill(m->state);
		if (port_read_once(&m->state->activity) == DTRACE_ACTIVITY_KILLED)
			return true;
	}
	return now - since > DTRACE_WORK_TIME;
}

port_noinline bool fire_work_more(struct mstate *m)
{
	struct dtrace_account *account = m->state->account;
	struct state_cpu *sc = m->sc;
	uint64_t need = (uint64_t)-sc->work, now, since, used, limit, grant;

	if (m->helping)
		return helper_work_more(m);
	if (sc->more != m->hit) {
		sc->more = m->hit;
		sc->granted = m->state->slice;
	}
	now = port_timestamp();
	used = account_work(account, m->cpu, m->hit, now, &since);
	limit = work_limit(m, sc->granted, used);
	if (sc->spent != m->hit && need <= limit && !work_late(m, now, since)) {
		grant = need + m->state->slice;
		if (grant > limit)
			grant = limit;
		account_work_add(account, m->cpu, grant);
		sc->granted += grant;
		sc->work += (int64_t)grant;
		return true;
	}
	sc->spent = m->hit;
	sc->work = 0;
	dif_fault(m, DTRACEFLT_WORK, 0);
	return false;
}

uint64_t fire_work_left(const struct mstate *m)
{
	const struct state_cpu *sc = m->sc;
	uint64_t granted = sc->more == m->hit ? sc->granted : m->state->slice;
	uint64_t left = sc->work > 0 ? (uint64_t)sc->work : 0, used, since;

	if (sc->spent == m->hit)
		return left;
	used = account_work(m->state->account, m->cpu, m->hit, port_timestamp(), &since);
	return left + work_limit(m, granted, used);
}

/*
 * Run an ECB. work: units that the session has before fire_work_more() must be asked, less those of
 * the clause's beginning. error: it is an ERROR clause.
 */
static port_noinline void ecb_run(struct mstate *m, const struct ecb *ecb, int64_t work, bool error)
{
	const struct body *b = ecb->body;
	struct fire_record rec = {0};
	uint8_t *kept;
	bool keep = false;

	m->ecb = ecb;
	m->action = NULL;
	m->locals = m->sc->locals;
	m->strsize = m->state->strsize;
	m->strtok = m->sc->strtok;
	m->pc = DIF_NO_PC;
	m->faulted = false;
	m->sc->work = work;
	ecb_prepare_scratch(m);
	kept = m->scratch_top;
	if ((port_likely(work >= 0) || fire_work_more(m)) && (!b->pred || ecb_predicate(m, b))) {
		if (b->records && !b->speculates) {
			rec.at = buffer_reserve(&m->sc->buffer, b->size,
						port_read_once(&m->state->activity) ==
							DTRACE_ACTIVITY_COOLDOWN);
			if (!rec.at)
				m->sc->count.dtst_principaldrops++;
		}
		if (rec.at || !b->records || b->speculates)
			keep = ecb_run_actions(m, b, &rec);
	}
	if (m->faulted) {
		m->scratch_top = kept; /* what the fault has cut short may contain addresses */
		ecb_fault(m, ecb, error);
	} else if (keep && rec.at && !rec.gone)
		ecb_keep(m, ecb, &rec);
}

/*
 * Run an ECB whose clause only counts in an aggregation without keys. It cannot fault, and needs
 * nothing of what ecb_run() prepares for programs. work: as for ecb_run(). Return false, and change
 * nothing, if ecb_run() has to run the ECB.
 */
static port_inline bool ecb_count(struct state_cpu *sc, const struct ecb *ecb, int64_t work)
{
	const struct agg *count = ecb->body->count;

	if (!count || port_unlikely(work < 0) || !agg_count(&sc->aggs, count))
		return false;
	sc->work = work;
	return true;
}

/*
 * Return whether the session may see the firing: it may look into the process that the probe
 * concerns.
 */
static inline bool ecb_allowed(const struct mstate *m, const struct dtrace_fire *fire)
{
	return fire->no_process || mstate_sees_process(m);
}

/* Return whether an ECB does not run since its probe fires in a forked child. */
static inline bool ecb_passes_child(const struct ecb *ecb, const struct dtrace_fire *fire)
{
#ifdef __KERNEL__
	(void)ecb, (void)fire; /* forked children have probes of their own */
	return false;
#else
	return port_unlikely(fire->child) && ecb->alone;
#endif
}

enum fire_kind {
	FIRE_PROBE,   /* for all sessions */
	FIRE_TIMED,   /* by a timer, for users with time of this CPU left */
	FIRE_BOUND,   /* by a timer, for users whose sessions trace on this CPU only */
	FIRE_SPECIAL, /* BEGIN or END of one */
	FIRE_ERROR    /* ERROR */
};

/* Return whether a session takes firings of that kind on this CPU. */
static inline bool state_wants(const dtrace_state_t *st, enum fire_kind kind)
{
	return kind != FIRE_BOUND || st->opts[DTRACEOPT_CPU] != DTRACEOPT_UNSET;
}

/*
 * Return how many elements behind an ECB are of the same session. They need no look if the session
 * does not take the firing, so that its clauses cost others no time.
 */
static inline uint32_t ecb_rest_of_row(const struct ecb *ecb)
{
	return port_read_once(&ecb->row);
}

/* ns that a timer's interrupt takes besides what the sessions do */
#define TIMED_COST 1000

/*
 * Run an ECB in the time that the session's user has left on this CPU; without time, count a pause.
 */
static port_noinline void ecb_run_timed(struct mstate *m, const struct ecb *ecb, int64_t work)
{
	struct dtrace_account *account = m->state->account;
	uint64_t began = port_timestamp(), rest;

	if (!account_left(account, m->cpu, ACCOUNT_SESSIONS, began)) {
		rest = account_rest(account, m->cpu, ACCOUNT_SESSIONS, began);
		m->sc->spent = m->hit; /* nor do the session's other clauses run */
		m->sc->count.dtst_pauses++;
		if (rest < m->rest)
			m->rest = rest;
		return;
	}
	m->taken = true;
	ecb_run(m, ecb, work, false);
	account_spend(account, m->cpu, ACCOUNT_SESSIONS, port_timestamp() - began + TIMED_COST);
}

/*
 * Do a part of this CPU's work for speculations that other CPUs have ended. work: as for
 * ecb_run(). Return what is left of it, perhaps below 0.
 */
static port_noinline int64_t fire_clean(struct mstate *m, int64_t work)
{
	int64_t budget = SPEC_CLEAN_FIRING;

	speculation_clean_cpu(m->state, m->sc, &budget);
	return work - (SPEC_CLEAN_FIRING - budget);
}

/*
 * Run the ECBs in list, which are the probe's; only, if not NULL: those of one session. The session
 * must be in the given activity; UINT32_MAX: in any. Inline, so that each caller gets the code for
 * its constants.
 */
static port_inline void fire_ecbs(struct mstate *m, dtrace_probe_t *probe,
				  const struct ecb_list *list, const struct dtrace_fire *fire,
				  const dtrace_state_t *only, uint32_t activity,
				  enum fire_kind kind)
{
	uint32_t n = list ? port_load_acquire(&list->used) : 0;

	m->probe = probe;
	m->fire = fire;
	for (uint32_t i = 0; i < n; i++) {
		const struct ecb *ecb = port_read_once(&list->ecbs[i]);
		struct state_cpu *sc;
		dtrace_state_t *st;
		int64_t work;

		if (!ecb || ecb_passes_child(ecb, fire))
			continue;
		st = ecb->state;
		if ((only && st != only) ||
		    (activity != UINT32_MAX && port_load_acquire(&st->activity) != activity) ||
		    !state_wants(st, kind)) {
			i += ecb_rest_of_row(ecb);
			continue;
		}
		sc = &st->cpus[m->cpu];
		if (!sc->on) {
			sc->count.dtst_principaldrops += sc->absent;
			if (!sc->absent)
				i += ecb_rest_of_row(ecb);
			continue;
		}
		work = st->slice;
		if (sc->hit == m->hit) {
			if (port_unlikely(sc->spent == m->hit) &&
			    (kind != FIRE_ERROR || sc->work <= 0)) {
				i += ecb_rest_of_row(ecb);
				continue;
			}
			work = sc->work;
		}
		sc->hit = m->hit;
		m->state = st;
		m->sc = sc;
		if (!ecb_allowed(m, fire)) {
			sc->spent = m->hit; /* it may not see any of this firing */
			i += ecb_rest_of_row(ecb);
			continue;
		}
		if (port_unlikely(sc->spec_gen != port_read_once(&st->spec_gen)))
			work = fire_clean(m, work);
		work -= (int64_t)ecb->body->work_begin;
		if (kind == FIRE_TIMED || kind == FIRE_BOUND)
			ecb_run_timed(m, ecb, work);
		else if (!ecb_count(sc, ecb, work))
			ecb_run(m, ecb, work, kind == FIRE_ERROR);
	}
}

/* Run the ERROR clauses of a session. */
static void fire_error(struct mstate *m, const struct dtrace_fire *fire, const dtrace_state_t *only)
{
	fire_ecbs(m, engine.error, port_load_acquire(&engine.error->ecbs), fire, only, UINT32_MAX,
		  FIRE_ERROR);
}

/*
 * A probe that fires while one is handled on this CPU, or that its provider could not fire
 * (missed): count it for each session that would have seen it.
 */
static void fire_count(const dtrace_probe_t *probe, uint32_t cpu, enum fire_kind kind, bool missed)
{
	const struct ecb_list *list = port_load_acquire(&probe->ecbs);
	uint32_t n = list ? port_load_acquire(&list->used) : 0;
	const dtrace_state_t *last = NULL;

	for (uint32_t i = 0; i < n; i++) {
		const struct ecb *ecb = port_read_once(&list->ecbs[i]);

		if (!ecb || ecb->state == last)
			continue;
		last = ecb->state;
		i += ecb_rest_of_row(ecb);
		if (!state_wants(last, kind))
			continue;
		if (port_load_acquire(&last->activity) != DTRACE_ACTIVITY_ACTIVE)
			continue;
		if (missed)
			last->cpus[cpu].count.dtst_missed++;
		else
			last->cpus[cpu].count.dtst_reentries++;
	}
}

void dtrace_fire_missed(dtrace_probe_t *probe)
{
	fire_count(probe, port_cpu(), FIRE_PROBE, true);
}

/* Begin a firing: forget the values of the last one, and number it. */
static void fire_begin(struct mstate *m)
{
	m->have = 0;
	m->hit++;
	m->vtime = port_load_acquire(&engine.vtime);
	if (port_unlikely(m->vtime))
		m->began = port_firing_time();
}

/* End a firing: take its time from that of the thread. */
static void fire_end(struct mstate *m)
{
	if (port_unlikely(m->vtime))
		vtime_end(m);
}

/* Fire a probe in probe context, or count the firing if another one is under way on this CPU. */
static port_inline void fire_within(dtrace_probe_t *probe, const struct dtrace_fire *fire,
				    enum fire_kind kind)
{
	const struct ecb_list *list = port_load_acquire(&probe->ecbs);
	uint32_t cpu = port_cpu();
	struct mstate *m = &engine.mstates[cpu];

	if (port_unlikely(m->busy)) {
		fire_count(probe, cpu, kind, false);
	} else if (port_likely(list)) {
		port_write_once(&m->busy, 1);
		core_barrier();
		fire_begin(m);
		fire_ecbs(m, probe, list, fire, NULL, DTRACE_ACTIVITY_ACTIVE, kind);
		fire_end(m);
		core_barrier();
		port_write_once(&m->busy, 0);
	}
}

void dtrace_fire_within(dtrace_probe_t *probe, const struct dtrace_fire *fire)
{
	fire_within(probe, fire, FIRE_PROBE);
}

void dtrace_fire(dtrace_probe_t *probe, const struct dtrace_fire *fire)
{
	unsigned long flags = port_fire_enter();

	fire_within(probe, fire, FIRE_PROBE);
	port_fire_exit(flags);
}

uint64_t dtrace_fire_timed(dtrace_probe_t *probe, const struct dtrace_fire *fire, bool bound)
{
	unsigned long flags = port_fire_enter();
	struct mstate *m = &engine.mstates[port_cpu()];
	uint64_t rest = 0;

	if (port_likely(!m->busy)) {
		m->taken = false;
		m->rest = UINT64_MAX;
	}
	if (bound)
		fire_within(probe, fire, FIRE_BOUND);
	else
		fire_within(probe, fire, FIRE_TIMED);
	if (port_likely(!m->busy) && !m->taken && m->rest != UINT64_MAX)
		rest = m->rest;
	port_fire_exit(flags);
	return rest;
}

void fire_special(dtrace_probe_t *probe, dtrace_state_t *state, uint32_t activity, uint32_t *cpu)
{
	struct dtrace_fire fire = {.no_process = true};
	unsigned long flags = port_fire_enter();
	struct mstate *m = &engine.mstates[port_cpu()];

	*cpu = port_cpu();
	if (!PORT_WARN_ON(m->busy)) {
		port_write_once(&m->busy, 1);
		core_barrier();
		fire_begin(m);
		fire_ecbs(m, probe, port_load_acquire(&probe->ecbs), &fire, state, activity,
			  FIRE_SPECIAL);
		fire_end(m);
		core_barrier();
		port_write_once(&m->busy, 0);
	}
	port_fire_exit(flags);
}
