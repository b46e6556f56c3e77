/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * enabling.c - from the DOF of a consumer to ECBs: clauses are read and checked, kept by the
 * session, and attached to the probes that they match, now and later.
 *
 * A body (predicate and actions) is shared by all probe descriptions of its clause, and so are its
 * aggregations. An ECB whose probe is destroyed is retired: its description can be read until no
 * record in a buffer can name it.
 */
#include "account.h"
#include "agg.h"
#include "difo.h"
#include "dof_read.h"
#include "enabling.h"
#include "engine_impl.h"
#include "fire.h"
#include "glob.h"
#include "listing.h"
#include "probe.h"
#include "speculation.h"
#include "state.h"
#include "table.h"
#include "var.h"

#define BODY_MAX (64U << 20) /* bytes of a record */
/*
 * Bytes that a byte of DOF may cost, and a constant: sections may be shared, so that a small DOF
 * could stand for very large programs.
 */
#define ENABLING_FACTOR 8
#define ENABLING_BASE	(1024 * 1024)

struct reader { /* what is needed while an enabling is read */
	dtrace_state_t *state;
	const struct dof *dof;
	struct dof_err *err;
	struct enabling *en;
	struct difo_reader difos;
	struct htable bodies; /* of en, by sections */
};

/* ---- actions ---- */

bool action_records(const struct action *act)
{
	if (act->key || act->weight || DTRACEACT_ISAGG(act->kind) ||
	    DTRACEACT_ISSPECULATIVE(act->kind))
		return false;
	if (act->kind == DTRACEACT_DIFEXPR)
		return act->size != 0;
	return act->kind != DTRACEACT_STOP && act->kind != DTRACEACT_RAISE &&
	       DTRACEACT_CLASS(act->kind) != DTRACEACT_KERNEL_DESTRUCTIVE;
}

/* Return the number of frames that a stack action records; for 0, the session's option. */
static int action_frames(struct reader *r, struct action *act, uint32_t n, uint32_t option,
			 uint32_t *frames)
{
	*frames = n ? n : (uint32_t)r->state->opts[option];
	if (*frames > DTRACE_STACKFRAMES_MAX)
		return ERR(r->err, -EINVAL, "action kind 0x%x: %u stack frames, allowed are %u",
			   act->kind, *frames, DTRACE_STACKFRAMES_MAX);
	return 0;
}

/* Set the size of the data of ustack() or jstack(). -EINVAL with a message. */
static int action_size_ustack(struct reader *r, struct action *act)
{
	bool j = act->kind == DTRACEACT_JSTACK;
	uint32_t frames, str = DTRACE_USTACK_STRSIZE(act->arg);
	int rc = action_frames(r, act, DTRACE_USTACK_NFRAMES(act->arg),
			       j ? DTRACEOPT_JSTACKFRAMES : DTRACEOPT_USTACKFRAMES, &frames);

	if (rc)
		return rc;
	if (j && !str)
		str = (uint32_t)r->state->opts[DTRACEOPT_JSTACKSTRSIZE];
	if (str > DTRACE_STRSIZE_MAX)
		return ERR(r->err, -EINVAL,
			   "action kind 0x%x: %u bytes for strings, allowed are %u", act->kind, str,
			   DTRACE_STRSIZE_MAX);
	act->arg = DTRACE_USTACK_ARG(frames, str);
	act->size = 8 + frames * 8 + ((str + 7) & ~7U);
	return 0;
}

/* Set the size of the data of an action in its record. -EINVAL with a message. */
static int action_size(struct reader *r, struct action *act)
{
	uint32_t value = act->difo ? dif_size(&act->difo->rtype, r->state->strsize) : 0;
	uint32_t frames;
	int rc;

	switch (act->kind) {
	case DTRACEACT_DIFEXPR:
	case DTRACEACT_PRINTF:
	case DTRACEACT_PRINTA:
	case DTRACEACT_LIBACT:
	case DTRACEACT_SYSTEM:
	case DTRACEACT_FREOPEN:
	case DTRACEACT_TRACEMEM_DYNSIZE:
		act->size = value;
		return 0;
	case DTRACEACT_TRACEMEM:
		if (!act->arg || act->arg > DIF_MAX_VALUE)
			return ERR(r->err, -EINVAL, "tracemem of %llu bytes, allowed are 1 to %u",
				   (unsigned long long)act->arg, DIF_MAX_VALUE);
		act->size = (uint32_t)act->arg;
		return 0;
	case DTRACEACT_PRINTM:
		if (!act->arg || act->arg > DIF_MAX_VALUE)
			return ERR(r->err, -EINVAL, "printm of %llu bytes, allowed are 1 to %u",
				   (unsigned long long)act->arg, DIF_MAX_VALUE);
		act->size = 8 + (uint32_t)act->arg;
		return 0;
	case DTRACEACT_EXIT:
		act->size = sizeof(int32_t);
		return 0;
	case DTRACEACT_USTACK:
	case DTRACEACT_JSTACK:
		return action_size_ustack(r, act);
	case DTRACEACT_STACK:
		rc = action_frames(r, act, (uint32_t)act->arg, DTRACEOPT_STACKFRAMES, &frames);
		act->arg = frames;
		act->size = frames * 8;
		return rc;
	case DTRACEACT_SYM:
	case DTRACEACT_MOD:
		act->size = 8;
		return 0;
	case DTRACEACT_USYM:
	case DTRACEACT_UMOD:
	case DTRACEACT_UADDR:
		act->size = 16;
		return 0;
	default:
		act->size = 0;
		return 0;
	}
}

enum { ACT_KNOWN = 1, ACT_DIFO = 2 };

/*
 * Return the rule for a kind of action: whether the kind exists, and whether it must have a DIFO.
 */
static unsigned int action_rule(uint32_t kind)
{
	switch (kind) {
	case DTRACEACT_PRINTF:
	case DTRACEACT_PRINTA:
	case DTRACEACT_LIBACT:
	case DTRACEACT_SYSTEM:
	case DTRACEACT_FREOPEN:
	case DTRACEACT_USTACK:
	case DTRACEACT_JSTACK:
	case DTRACEACT_STACK:
	case DTRACEACT_STOP:
	case DTRACEACT_BREAKPOINT:
	case DTRACEACT_PANIC:
	case DTRACEAGG_COUNT:
		return ACT_KNOWN;
	case DTRACEACT_DIFEXPR:
	case DTRACEACT_EXIT:
	case DTRACEACT_TRACEMEM:
	case DTRACEACT_TRACEMEM_DYNSIZE:
	case DTRACEACT_PRINTM:
	case DTRACEACT_USYM:
	case DTRACEACT_UMOD:
	case DTRACEACT_UADDR:
	case DTRACEACT_RAISE:
	case DTRACEACT_SYM:
	case DTRACEACT_MOD:
	case DTRACEACT_CHILL:
	case DTRACEACT_SPECULATE:
	case DTRACEACT_COMMIT:
	case DTRACEACT_DISCARD:
	case DTRACEAGG_MIN:
	case DTRACEAGG_MAX:
	case DTRACEAGG_AVG:
	case DTRACEAGG_SUM:
	case DTRACEAGG_STDDEV:
	case DTRACEAGG_QUANTIZE:
	case DTRACEAGG_LQUANTIZE:
	case DTRACEAGG_LLQUANTIZE:
		return ACT_KNOWN | ACT_DIFO;
	default:
		return 0;
	}
}

/* Return whether an action needs the right to see the kernel. */
static bool action_needs_kernel(const struct action *act)
{
	return act->kind == DTRACEACT_STACK || act->kind == DTRACEACT_SYM ||
	       act->kind == DTRACEACT_MOD ||
	       DTRACEACT_CLASS(act->kind) == DTRACEACT_KERNEL_DESTRUCTIVE;
}

/* Return whether lockdown forbids an action: it acts on the kernel, or stores into processes. */
static bool action_writes(const struct action *act)
{
	return DTRACEACT_CLASS(act->kind) == DTRACEACT_KERNEL_DESTRUCTIVE ||
	       (act->difo && act->difo->destructive);
}

#define LOCKED_WRITE                                                                               \
	"the kernel is locked down (integrity): it and processes' memory may not be changed; see " \
	"kernel_lockdown(7)"
#define LOCKED_READ                                                                     \
	"the kernel is locked down (confidentiality): its memory may not be seen; see " \
	"kernel_lockdown(7)"

/*
 * Check that the session may have an action, number n of its clause. -EINVAL or -EPERM with a
 * message.
 */
static int action_check(struct reader *r, const struct action *act, uint32_t n)
{
	unsigned int rule = action_rule(act->kind);
	bool destructive =
		DTRACEACT_ISDESTRUCTIVE(act->kind) || (act->difo && act->difo->destructive);

	if (!rule)
		return ERR(r->err, -EINVAL, "action %u: kind 0x%x is unknown", n, act->kind);
	if (rule & ACT_DIFO && !act->difo)
		return ERR(r->err, -EINVAL, "action %u: kind 0x%x needs an expression", n,
			   act->kind);
	if (destructive && !r->state->opts[DTRACEOPT_DESTRUCTIVE])
		return ERR(r->err, -EPERM,
			   "action %u: destructive actions are not allowed (use -w)", n);
	if (action_writes(act) && port_locked_down(PORT_LOCKDOWN_WRITE))
		return ERR(r->err, -EPERM, "action %u: " LOCKED_WRITE, n);
	if (action_needs_kernel(act) && r->state->cred.privs & DTRACE_PRIV_LOCKED)
		return ERR(r->err, -EPERM, "action %u: " LOCKED_READ, n);
	if (action_needs_kernel(act) && !(r->state->cred.privs & DTRACE_PRIV_KERNEL))
		return ERR(r->err, -EPERM,
			   "action %u: kind 0x%x needs the privilege to see the kernel", n,
			   act->kind);
	return 0;
}

/*
 * Read an action from a DOF, number n of its clause. -EINVAL, -EPERM or -ENOMEM with a message;
 * -EINTR.
 */
static int action_read(struct reader *r, struct action *act, const dof_actdesc_t *ad, uint32_t n)
{
	int rc;

	act->kind = (dtrace_actkind_t)ad->dofa_kind;
	act->arg = ad->dofa_arg;
	act->uarg = ad->dofa_uarg;
	if (ad->dofa_kind > 0xffff)
		return ERR(r->err, -EINVAL, "action %u: kind 0x%x is unknown", n, ad->dofa_kind);
	if (ad->dofa_difo != DOF_SECIDX_NONE) {
		rc = difo_get(&r->difos, ad->dofa_difo, &act->difo);
		if (rc)
			return rc;
	}
	rc = action_check(r, act, n);
	if (!rc)
		rc = action_size(r, act);
	act->align = act->size == 1 || act->size == 2 || act->size == 4 ? act->size : 8;
	return rc;
}

/* ---- aggregations ---- */

/* Number an aggregation and add it to the session's. -ENOMEM. */
static int agg_enter(struct reader *r, struct agg *agg)
{
	dtrace_state_t *st = r->state;
	struct agg **aggs;

	if (st->naggs == st->naggs_max) {
		uint32_t capacity = st->naggs_max ? st->naggs_max * 2 : 64;

		aggs = port_alloc(capacity * sizeof(*aggs));
		if (!aggs)
			return -ENOMEM;
		if (st->naggs)
			memcpy(aggs, st->aggs, st->naggs * sizeof(*aggs));
		port_free(st->aggs);
		st->aggs = aggs;
		st->naggs_max = capacity;
	}
	st->aggs[st->naggs++] = agg;
	agg->id = st->naggs;
	return 0;
}

/* Check the tuple of the aggregation whose last action is n. -EINVAL with a message. */
static int agg_check_tuple(struct reader *r, const struct body *b, uint32_t n, uint32_t ntuple)
{
	for (uint32_t i = n + 1 - ntuple; i < n; i++) {
		const struct action *act = &b->acts[i];

		if (!act->size || act->agg || act->kind == DTRACEACT_EXIT ||
		    DTRACEACT_ISDESTRUCTIVE(act->kind))
			return ERR(r->err, -EINVAL,
				   "action %u: kind 0x%x cannot be part of an aggregation's key",
				   i + 1, act->kind);
	}
	return 0;
}

/* Return whether the value of an action is recorded as a string. */
static bool action_is_string(const struct action *act)
{
	const dtrace_diftype_t *type = act->difo ? &act->difo->rtype : NULL;

	return act->kind == DTRACEACT_DIFEXPR && type && type->dtdt_kind == DIF_TYPE_STRING &&
	       type->dtdt_flags & (DIF_TF_BYREF | DIF_TF_BYUREF);
}

/*
 * Lay out the longest entry: keys in order, each aligned, then the value. Strings take whole words,
 * so that a shorter one leaves what follows it aligned.
 */
static int agg_layout(struct reader *r, const struct body *b, struct agg *agg, uint32_t value)
{
	uint32_t off = sizeof(dtrace_aggrec_t);

	for (uint32_t i = 0; i < agg->nkeys; i++) {
		struct action *act = &b->acts[agg->first + i];

		act->key = true;
		act->string = action_is_string(act);
		agg->strings |= act->string;
		if (act->string)
			act->align = 8;
		act->offset = (off + act->align - 1) & ~(act->align - 1);
		off = act->offset + (act->string ? action_string_size(act) : act->size);
		if (off > DIF_MAX_VALUE)
			return ERR(r->err, -EINVAL,
				   "action %u: keys of an aggregation pass %u bytes",
				   agg->first + i + 1, DIF_MAX_VALUE);
	}
	agg->keys = (off + 7) & ~7U;
	agg->value = value;
	return 0;
}

/*
 * Make the aggregation whose last action is n, with ntuple actions in all. -EINVAL or -ENOMEM with
 * a message.
 */
static int agg_read(struct reader *r, struct body *b, uint32_t n, uint32_t ntuple)
{
	struct action *act = &b->acts[n];
	uint32_t value = agg_value_size(act->kind, act->arg);
	struct agg *agg;
	int rc;

	if (!ntuple || ntuple > n + 1)
		return ERR(r->err, -EINVAL,
			   "action %u: aggregation of %u actions, there are %u before it", n + 1,
			   ntuple, n);
	if (!value)
		return ERR(r->err, -EINVAL,
			   "action %u: parameters 0x%llx of the aggregation are not valid", n + 1,
			   (unsigned long long)act->arg);
	rc = agg_check_tuple(r, b, n, ntuple);
	if (rc)
		return rc;
	rc = difo_take(&r->difos, sizeof(*agg) + 2 * sizeof(agg));
	if (rc)
		return rc;
	agg = port_alloc(sizeof(*agg));
	if (!agg || agg_enter(r, agg) != 0) {
		port_free(agg);
		return ERR(r->err, -ENOMEM, "no memory for an aggregation");
	}
	agg->kind = act->kind;
	agg->arg = act->arg;
	agg->body = b;
	agg->first = n + 1 - ntuple;
	agg->nkeys = ntuple - 1;
	if (ntuple > 1 && b->acts[n - 1].kind == DTRACEACT_DIFEXPR &&
	    b->acts[n - 1].arg == DTRACE_AGG_WEIGHT) {
		b->acts[n - 1].weight = true;
		agg->nkeys--;
	}
	agg->varid = b->acts[agg->first].uarg;
	act->agg = agg;
	b->acts[agg->first].agg = agg;
	return agg_layout(r, b, agg, value);
}

/* ---- bodies ---- */

/*
 * Check the rules for speculations: speculate() comes first, and once; no exit, aggregation or
 * destructive action follows it; there is one commit(), nothing is recorded after it, and before it
 * only what is speculated. -EINVAL with a message.
 */
static int body_check_speculation(struct reader *r, const struct body *b)
{
	bool speculate = false, commit = false, data = false;

	for (uint32_t i = 0; i < b->nacts; i++) {
		const struct action *act = &b->acts[i];
		bool other = act->kind == DTRACEACT_EXIT || DTRACEACT_ISAGG(act->kind) ||
			     DTRACEACT_ISDESTRUCTIVE(act->kind);

		if (act->kind == DTRACEACT_SPECULATE && (speculate || data || commit))
			return ERR(
				r->err, -EINVAL,
				"action %u: speculate() must come once and before all that records",
				i + 1);
		if (act->kind == DTRACEACT_COMMIT && (commit || (data && !speculate)))
			return ERR(r->err, -EINVAL,
				   "action %u: commit() must come once and before all that records",
				   i + 1);
		if (speculate && other)
			return ERR(r->err, -EINVAL,
				   "action %u: kind 0x%x is not allowed after speculate()", i + 1,
				   act->kind);
		if (commit && action_records(act))
			return ERR(r->err, -EINVAL,
				   "action %u: nothing may be recorded after commit()", i + 1);
		speculate |= act->kind == DTRACEACT_SPECULATE;
		commit |= act->kind == DTRACEACT_COMMIT;
		data |= action_records(act) || DTRACEACT_ISAGG(act->kind);
	}
	return 0;
}

/* Lay out the record. */
static int body_layout(struct reader *r, struct body *b)
{
	bool only_speculate = true;
	uint32_t off = sizeof(dtrace_rechdr_t);

	for (uint32_t i = 0; i < b->nacts; i++) {
		struct action *act = &b->acts[i];

		b->speculates |= act->kind == DTRACEACT_SPECULATE;
		only_speculate &= act->kind == DTRACEACT_SPECULATE;
		act->recorded = action_records(act);
		if (!act->recorded)
			continue;
		b->records = true;
		act->offset = (off + act->align - 1) & ~(act->align - 1);
		off = act->offset + act->size;
		if (off > BODY_MAX)
			return ERR(r->err, -EINVAL,
				   "action %u: the record of this clause passes %u bytes", i + 1,
				   BODY_MAX);
	}
	b->records |= only_speculate;
	b->size = (off + 7) & ~7U;
	return 0;
}

/*
 * Sum up the work that does not depend on values: expressions, by their length, since branches only
 * go forward; keys, which are cleared, hashed and compared; records so large that many others may
 * have to give way to them in a ring.
 */
static void body_count_work(struct body *b)
{
	uint64_t work = b->size > WORK_RECORD ? b->size / 16 : 0;

	for (uint32_t i = 0; i < b->nacts; i++) {
		const struct action *act = &b->acts[i];

		work += WORK_ACTION + (act->difo ? act->difo->len : 0);
		if (DTRACEACT_ISAGG(act->kind) && act->agg->nkeys)
			work += act->agg->keys / 4;
	}
	b->work_begin = WORK_CLAUSE + (b->pred ? b->pred->len : work);
	b->work_acts = b->pred ? work : 0;
}

/* Read the predicate and the actions of a body, and lay out its record. Errors as action_read(). */
static int body_read(struct reader *r, struct body *b)
{
	dof_actdesc_t ad;
	dof_sec_t sec;
	uint64_t n = 0;
	int rc = 0;

	if (b->pred_sec != DOF_SECIDX_NONE)
		rc = difo_get(&r->difos, b->pred_sec, &b->pred);
	if (!rc && b->act_sec != DOF_SECIDX_NONE)
		rc = dof_section(r->dof, b->act_sec, DOF_SECT_ACTDESC, 0, &sec);
	if (rc)
		return rc;
	if (b->act_sec != DOF_SECIDX_NONE) {
		n = dof_entries(&sec, sizeof(ad));
		if (n > 65536)
			return ERR(r->err, -EINVAL,
				   "DOF section %u: %llu actions in one clause, allowed are 65536",
				   b->act_sec, (unsigned long long)n);
		rc = difo_take(&r->difos, n * sizeof(*b->acts));
		if (rc)
			return rc;
		b->acts = port_alloc((n ? n : 1) * sizeof(*b->acts));
		if (!b->acts)
			return ERR(r->err, -ENOMEM, "no memory for %llu actions",
				   (unsigned long long)n);
	}
	for (uint32_t i = 0; i < n; i++) {
		rc = relax_at(i);
		if (rc)
			return rc;
		dof_entry(r->dof, &sec, i, &ad, sizeof(ad));
		rc = action_read(r, &b->acts[i], &ad, i + 1);
		b->nacts = i + 1;
		if (!rc && DTRACEACT_ISAGG(ad.dofa_kind))
			rc = agg_read(r, b, i, ad.dofa_ntuple);
		if (rc)
			return rc;
	}
	rc = body_layout(r, b);
	if (rc)
		return rc;
	body_count_work(b);
	/* a clause that does no more than to count without keys has a short way in a firing */
	if (!b->pred && b->nacts == 1 && b->acts->agg && b->acts->agg->kind == DTRACEAGG_COUNT &&
	    !b->acts->agg->nkeys && !b->acts->difo)
		b->count = b->acts->agg;
	rc = body_check_speculation(r, b);
	if (!rc && b->pred && b->pred->destructive && !r->state->opts[DTRACEOPT_DESTRUCTIVE])
		return ERR(r->err, -EPERM,
			   "predicate: destructive actions are not allowed (use -w)");
	if (!rc && b->pred && b->pred->destructive && port_locked_down(PORT_LOCKDOWN_WRITE))
		return ERR(r->err, -EPERM, "predicate: " LOCKED_WRITE);
	return rc;
}

/*
 * Return the body of a clause in *out. The first description of the clause makes it be read. Errors
 * as action_read().
 */
static int body_get(struct reader *r, const dof_ecbdesc_t *ed, struct body **out)
{
	uint32_t hash = hash_int(hash_int(ed->dofe_pred) + ed->dofe_actions);
	struct body *b;
	int rc;

	for (struct hnode *n = htable_first(&r->bodies, hash); n; n = htable_next(n)) {
		b = link_entry(n, struct body, by_sections);
		if (b->pred_sec == ed->dofe_pred && b->act_sec == ed->dofe_actions) {
			*out = b;
			return 0;
		}
	}
	*out = NULL;
	rc = difo_take(&r->difos, sizeof(*b) + HTABLE_ENTRY);
	if (rc)
		return rc;
	b = port_alloc(sizeof(*b));
	if (!b || htable_insert(&r->bodies, &b->by_sections, hash) != 0) {
		port_free(b);
		return ERR(r->err, -ENOMEM, "no memory for a clause");
	}
	b->pred_sec = ed->dofe_pred;
	b->act_sec = ed->dofe_actions;
	b->next = r->en->bodies;
	r->en->bodies = *out = b;
	return body_read(r, b);
}

/* ---- clauses ---- */

/* Read a clause. Errors as action_read(). */
static int clause_read(struct reader *r, const dof_sec_t *sec, struct clause *c)
{
	dof_ecbdesc_t ed;
	int rc;

	if (sec->dofs_size < sizeof(ed))
		return ERR(r->err, -EINVAL, "DOF: an ECBDESC section of %llu bytes is too small",
			   (unsigned long long)sec->dofs_size);
	memcpy(&ed, r->dof->base + sec->dofs_offset, sizeof(ed));
	c->uarg = ed.dofe_uarg;
	rc = dof_probedesc(r->dof, ed.dofe_probes, &c->desc);
	return rc ? rc : body_get(r, &ed, &c->body);
}

/*
 * Read the sections of clauses; r NULL: only count them. *bad_desc becomes the number of the
 * current one.
 */
static int clause_each(struct reader *r, const struct dof *dof, struct enabling *en,
		       int32_t *bad_desc)
{
	dof_sec_t sec;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < dof->hdr.dofh_secnum; i++) {
		rc = relax_at(i);
		if (rc)
			break;
		dof_section_any(dof, i, &sec);
		if (sec.dofs_type != DOF_SECT_ECBDESC || !(sec.dofs_flags & DOF_SECF_LOAD))
			continue;
		if (r) {
			*bad_desc = (int32_t)en->nclauses;
			rc = clause_read(r, &sec, &en->clauses[en->nclauses]);
		}
		en->nclauses++;
	}
	return rc;
}

/*
 * Charge the session for definitions of variables. When an enabling is rolled back, its definitions
 * and their charge stay. -EDQUOT with a message.
 */
static int state_charge_vars(dtrace_state_t *state, struct dof_err *err)
{
	uint64_t bytes = var_space_bytes(&state->vars);
	int rc = 0;

	if (bytes > state->vars_charged)
		rc = state_charge(state, bytes - state->vars_charged, err);
	if (!rc)
		state->vars_charged = bytes;
	return rc;
}

/*
 * Let providers create the probes that the clauses name. A description whose probe a provider
 * refuses matches none, as if there were no such probe. -ENOSPC with a message. -EINTR.
 */
static int enabling_provide(const dtrace_state_t *state, const struct enabling *en,
			    int32_t *bad_desc, struct dof_err *err)
{
	int rc;

	for (uint32_t i = 0; i < en->nclauses; i++) {
		const dtrace_probedesc_t *desc = &en->clauses[i].desc;

		if (desc->dtpd_id != DTRACE_IDNONE) /* the probe exists, or does not */
			continue;
		if (i && !memcmp(desc, &en->clauses[i - 1].desc, sizeof(*desc)))
			continue;
		*bad_desc = (int32_t)i;
		rc = provider_provide_all(state, desc);
		if (rc == -EINTR)
			return rc;
		if (rc == -ENOSPC)
			return ERR(err, -ENOSPC,
				   "%s:%s:%s:%s: no more probes of this kind can be made: "
				   "as many as there may be are in use",
				   desc->dtpd_provider, desc->dtpd_mod, desc->dtpd_func,
				   desc->dtpd_name);
	}
	return 0;
}

int enabling_create(dtrace_state_t *state, const struct dof *dof, int32_t *bad_desc,
		    struct enabling **out)
{
	struct enabling *en = port_alloc(sizeof(*en));
	struct reader r = {
		.state = state,
		.dof = dof,
		.err = dof->err,
		.en = en,
		.difos = {.dof = dof,
			  .vars = &state->vars,
			  .strsize = state->strsize,
			  .left = dof->size * ENABLING_FACTOR + ENABLING_BASE,
			  .state = state},
	};
	uint64_t before = r.difos.left;
	int rc;

	if (!en)
		return ERR(dof->err, -ENOMEM, "no memory for an enabling");
	en->naggs = state->naggs;
	var_space_mark(&state->vars, &en->mark);
	rc = clause_each(NULL, dof, en, bad_desc);
	if (!rc)
		rc = difo_take(&r.difos, (en->nclauses + 1) * sizeof(*en->clauses));
	if (!rc)
		en->clauses = port_alloc((en->nclauses + 1) * sizeof(*en->clauses));
	en->nclauses = 0;
	if (!rc)
		rc = en->clauses ? clause_each(&r, dof, en, bad_desc)
				 : ERR(dof->err, -ENOMEM, "no memory for clauses");
	en->difos = difo_reader_end(&r.difos);
	for (const struct difo *d = en->difos; d; d = d->next)
		en->vtime |= d->vtime;
	htable_free(&r.bodies);
	en->charged = before - r.difos.left;
	if (!rc)
		rc = state_charge_vars(state, dof->err);
	if (!rc)
		rc = enabling_provide(state, en, bad_desc, dof->err);
	if (!rc) {
		*bad_desc = -1;
		*out = en;
		return 0;
	}
	enabling_undo(state, en);
	return rc;
}

void enabling_free(dtrace_state_t *state, struct enabling *en)
{
	struct body *b;

	state_uncharge(state, en->charged);
	while ((b = en->bodies)) {
		en->bodies = b->next;
		port_free(b->acts);
		port_free(b);
		port_relax(); /* there may be many; all of them must go */
	}
	difo_free_list(en->difos);
	port_free(en->clauses);
	port_free(en);
}

void enabling_undo(dtrace_state_t *state, struct enabling *en)
{
	deferred_free(enabling_drop(state, en));
	while (state->naggs > en->naggs)
		port_free(state->aggs[--state->naggs]);
	var_space_rollback(&state->vars, &en->mark);
	enabling_free(state, en);
}

/* ---- ECBs ---- */

/* Return the hash of a probe and a clause. */
static uint32_t pair_hash(const dtrace_probe_t *probe, const struct clause *clause)
{
	uint64_t pair[2] = {(uintptr_t)probe, (uintptr_t)clause};

	return hash_words(pair, 2, 0);
}

/* Return whether the clause has an ECB on the probe. [L] */
static bool ecb_exists(const dtrace_probe_t *probe, const dtrace_state_t *state,
		       const struct clause *clause)
{
	struct hnode *n = htable_first(&state->pairs, pair_hash(probe, clause));

	ENGINE_ASSERT_LOCKED();
	for (; n; n = htable_next(n)) {
		const struct ecb *ecb = link_entry(n, struct ecb, by_pair);

		if (ecb->probe == probe && ecb->clause == clause)
			return true;
	}
	return false;
}

/* Return the bytes of an ECB, with its element in its probe's list. */
static uint64_t ecb_bytes(const dtrace_state_t *state)
{
	return sizeof(struct ecb) + (state->cred.pid_ns ? DTRACE_PROVNAMELEN : 0) +
	       4 * sizeof(struct ecb *);
}

/* Charge the session for the growth of its tables by one ECB. -EDQUOT with a message. [L] */
static int ecb_charge_tables(dtrace_state_t *state, struct dof_err *err)
{
	uint64_t bytes = htable_bytes_next(&state->ecbs) + htable_bytes_next(&state->pairs);
	int rc = 0;

	ENGINE_ASSERT_LOCKED();
	if (bytes > state->tables_charged)
		rc = state_charge(state, bytes - state->tables_charged, err);
	if (!rc && bytes > state->tables_charged)
		state->tables_charged = bytes;
	return rc;
}

/* Note the first ECB of each aggregation of its clause, at the clause's first ECB. [L] */
static void ecb_note_aggs(const struct ecb *ecb)
{
	struct body *body = ecb->clause->body;

	for (uint32_t i = 0; !body->noted && i < body->nacts; i++)
		if (body->acts[i].agg)
			body->acts[i].agg->epid = ecb->epid;
	body->noted = true;
}

/* Let the ECB's probe fire on the only CPU that the session traces. [L] */
static void ecb_bind(const struct ecb *ecb, uint32_t cpu)
{
	const dtrace_provider_t *prov = ecb->probe->prov;

	if (prov->ops->bind)
		prov->ops->bind(prov->arg, ecb->probe, ecb->probe->parg, cpu);
}

/* Bind an ECB that comes while its session traces one CPU only. [L] */
static void ecb_bind_late(const struct ecb *ecb)
{
	const dtrace_state_t *st = ecb->state;

	if (st->opts[DTRACEOPT_CPU] != DTRACEOPT_UNSET &&
	    port_read_once(&st->activity) != DTRACE_ACTIVITY_INACTIVE)
		ecb_bind(ecb, (uint32_t)st->opts[DTRACEOPT_CPU]);
}

/* Note the name of the provider in the session's PID namespace. */
static void ecb_name(struct ecb *ecb, const char *name)
{
	memcpy(ecb->seen, name, strlen(name) + 1);
}

const char *ecb_provname(const struct ecb *ecb)
{
	return ecb->state->cred.pid_ns ? ecb->seen : ecb->probe->provname;
}

/*
 * Return the newest ECB of a session on a probe, or NULL. Most often it is the newest of all. [L]
 */
static const struct ecb *probe_newest_of(const dtrace_probe_t *probe, const dtrace_state_t *state)
{
	const struct ecb_list *list = probe->ecbs;

	ENGINE_ASSERT_LOCKED();
	for (uint32_t i = list ? list->used : 0; i-- > 0;)
		if (list->ecbs[i] && list->ecbs[i]->state == state)
			return list->ecbs[i];
	return NULL;
}

/*
 * Check that a user's sessions together have not too much on an ECB's probe: clauses, and rows of
 * them, since a firing looks at one clause of each row even if the session does not take the
 * firing. Other users may wait for that. Look at one clause of each row here, too. -EDQUOT with a
 * message. [L]
 */
static int ecb_check_user(const struct ecb *ecb, struct dof_err *err)
{
	const struct ecb_list *list = ecb->probe->ecbs;
	const struct dtrace_account *account = ecb->state->account;
	uint32_t n = 0, rows = 0, rest, clauses_max, rows_max;

	ENGINE_ASSERT_LOCKED();
	if (dtrace_account_privileged(account))
		return 0;
	for (uint32_t i = 0; list && i < list->used; i++) {
		const struct ecb *other = list->ecbs[i];

		if (!other)
			continue;
		rest = other->first == i ? other->row : 0;
		if (other->state->account == account) {
			n += 1 + rest;
			rows += other->first == i;
		}
		i += rest;
	}
	clauses_max = port_read_once(&dtrace_account_clauses);
	rows_max = port_read_once(&dtrace_account_rows);
	if (n < clauses_max && rows < rows_max)
		return 0;
	return ERR(err, -EDQUOT,
		   "the sessions of user %u have %u clauses in %u rows on the probe %s:%s:%s:%s: "
		   "there may be %u, in %u rows (root can raise it in "
		   "/sys/module/dtrace/parameters/%s)",
		   ecb->state->cred.account, n, rows, ecb_provname(ecb), ecb->probe->mod,
		   ecb->probe->func, ecb->probe->name, clauses_max, rows_max,
		   n < clauses_max ? "user_rows" : "user_clauses");
}

/*
 * Give an ECB its number on its probe. A firing looks at each ECB of a session, even if the session
 * may do no more, so that their number is limited: -EDQUOT with a message. [L]
 */
static int ecb_count(struct ecb *ecb, struct dof_err *err)
{
	const struct ecb *newest = probe_newest_of(ecb->probe, ecb->state);

	ENGINE_ASSERT_LOCKED();
	ecb->nth = newest ? newest->nth + 1 : 1;
	if (ecb->nth <= DTRACE_CLAUSES_MAX)
		return ecb_check_user(ecb, err);
	return ERR(err, -EDQUOT, "more than %u clauses of one session are on the probe %s:%s:%s:%s",
		   DTRACE_CLAUSES_MAX, ecb_provname(ecb), ecb->probe->mod, ecb->probe->func,
		   ecb->probe->name);
}

/* Undo ecb_charge(). [L] */
static void ecb_uncharge(struct ecb *ecb)
{
	struct dtrace_account *account = ecb->state->account;

	dtrace_account_uncharge(account, DTRACE_RES_INTERRUPTS, ecb->interrupts);
	dtrace_account_uncharge(account, DTRACE_RES_INSTRUCTIONS, ecb->instruction);
	ecb->interrupts = 0;
	ecb->instruction = false;
}

/*
 * Charge the user for an ECB's probe, if there are few such probes, and for its interrupts: once
 * for the session, whose first ECB on the probe holds the charge. -EDQUOT with a message. [L]
 */
static int ecb_charge(struct ecb *ecb, struct dof_err *err)
{
	const dtrace_provider_t *prov = ecb->probe->prov;
	struct dtrace_account *account = ecb->state->account;
	uint64_t n;
	int rc = 0;

	ENGINE_ASSERT_LOCKED();
	if (ecb->nth > 1)
		return 0;
	if (prov->ops->few) {
		rc = dtrace_account_charge(account, DTRACE_RES_INSTRUCTIONS, 1, err->msg, err->len);
		ecb->instruction = !rc;
	}
	if (!rc && prov->ops->interrupts) {
		n = prov->ops->interrupts(prov->arg, ecb->probe, ecb->probe->parg);
		rc = dtrace_account_charge(account, DTRACE_RES_INTERRUPTS, n, err->msg, err->len);
		ecb->interrupts = rc ? 0 : n;
	}
	if (rc)
		ecb_uncharge(ecb);
	return rc;
}

/*
 * Attach a clause to a probe. Return 1; 0: it was attached before. -EDQUOT with a message, also if
 * it is the provider's error. -ENOSPC: there are too many ECBs. -ENOMEM, or another error of the
 * provider. [L]
 */
static int ecb_create(dtrace_state_t *state, const struct clause *clause, dtrace_probe_t *probe,
		      struct dof_err *err)
{
	char name[DTRACE_PROVNAMELEN];
	struct ecb *ecb;
	int rc;

	ENGINE_ASSERT_LOCKED();
	if (ecb_exists(probe, state, clause))
		return 0;
	if (state->next_epid == UINT32_MAX)
		return -ENOSPC;
	rc = ecb_charge_tables(state, err);
	if (!rc)
		rc = state_charge(state, ecb_bytes(state), err);
	if (rc)
		return rc;
	ecb = port_alloc(sizeof(*ecb) + (state->cred.pid_ns ? DTRACE_PROVNAMELEN : 0));
	if (!ecb) {
		rc = -ENOMEM;
		goto uncharge;
	}
	if (state->cred.pid_ns)
		ecb_name(ecb, provider_name(probe->prov, &state->cred, name));
	ecb->state = state;
	ecb->probe = probe;
	ecb->clause = clause;
	ecb->body = clause->body;
	ecb->alone = glob_is_literal(clause->desc.dtpd_provider) &&
		     state->opts[DTRACEOPT_FOLLOWFORK] != 1;
	ecb->epid = ++state->next_epid;
	ecb->told = (struct ecb_numbers){ecb->epid, probe->id};
	link_init(&ecb->link);
	link_init(&ecb->interval);
	rc = ecb_count(ecb, err);
	if (rc)
		goto retire;
	rc = htable_insert(&state->ecbs, &ecb->by_epid, hash_int(ecb->epid));
	if (rc)
		goto retire;
	rc = htable_insert(&state->pairs, &ecb->by_pair, pair_hash(probe, clause));
	if (rc)
		goto forget_epid;
	rc = ecb_charge(ecb, err);
	if (rc)
		goto forget_pair;
	if (probe->prov->ops->sync)
		state->synced = true;
	rc = probe_attach(probe, ecb);
	if (rc == -EDQUOT)
		rc = ERR(err, rc,
			 "%s:%s:%s:%s: the user has as many breakpoints in the file, "
			 "which is another's, as there may be (root can raise it in "
			 "/sys/module/dtrace/parameters/user_file_sites)",
			 probe->provname, probe->mod, probe->func, probe->name);
	else if (rc == -ESHUTDOWN)
		rc = ERR(err, rc,
			 "%s:%s:%s:%s: ftrace is switched off, and the probe needs it (root can "
			 "set the sysctl kernel.ftrace_enabled to 1)",
			 probe->provname, probe->mod, probe->func, probe->name);
	if (rc)
		goto uncharge_probe;
	if (ecb->nth == 1 && (probe->prov->ops->begin || probe->prov->ops->bind))
		link_append(&state->intervals, &ecb->interval);
	ecb_note_aggs(ecb);
	ecb_bind_late(ecb);
	return 1;

uncharge_probe:
	ecb_uncharge(ecb);
forget_pair:
	htable_remove(&state->pairs, &ecb->by_pair);
forget_epid:
	htable_remove(&state->ecbs, &ecb->by_epid);
retire:
	deferred_add(&engine.deferred, &ecb->deferred); /* a firing may have seen it */
uncharge:
	state_uncharge(state, ecb_bytes(state));
	return rc;
}

/* Free an ECB, which its probe does not have any more, after a grace period. [L] */
static void ecb_free(struct ecb *ecb)
{
	ENGINE_ASSERT_LOCKED();
	htable_remove(&ecb->state->ecbs, &ecb->by_epid);
	htable_remove(&ecb->state->pairs, &ecb->by_pair);
	link_remove(&ecb->link);
	link_remove(&ecb->interval);
	state_uncharge(ecb->state, ecb_bytes(ecb->state));
	ecb_uncharge(ecb);
	probe_unref(ecb->probe);
	deferred_add(&engine.deferred, &ecb->deferred);
}

/*
 * Names that a provider is tried by for a session that follows forks: more than a process has
 * ancestors, and so many that finding each of them among all of them takes no time.
 */
#define FOLLOWED_NAMES 64U

/*
 * Return whether a pattern matches a provider by its name, or, if the session follows forks, by the
 * name of an ancestor of its process. [L]
 */
static bool provider_matches(const dtrace_state_t *state, const dtrace_provider_t *prov,
			     const struct glob *g)
{
	char name[DTRACE_PROVNAMELEN];

	if (glob_match(g, provider_name(prov, &state->cred, name)))
		return true;
	if (!state->opts[DTRACEOPT_FOLLOWFORK] || !prov->ops->name_in_ns)
		return false;
	for (unsigned int n = 1;
	     n <= FOLLOWED_NAMES && prov->ops->name_in_ns(prov->arg, state->cred.pid_ns, n, name);
	     n++)
		if (glob_match(g, name))
			return true;
	return false;
}

/* ---- matching ---- */

/*
 * Attach a clause to a probe that it matches. -EDQUOT or -ESHUTDOWN with a message; other errors
 * are only counted. [L]
 */
static int match_attach(dtrace_state_t *state, const struct clause *c, dtrace_probe_t *p,
			uint32_t *n, struct dof_err *err)
{
	int rc = ecb_create(state, c, p, err);

	ENGINE_ASSERT_LOCKED();
	if (rc < 0)
		port_write_once(&state->unattached, state->unattached + 1);
	else
		*n += (uint32_t)rc;
	return rc == -EDQUOT || rc == -ESHUTDOWN ? rc : 0;
}

/* Return the provider of a pass that has released the lock, or NULL if it is gone. [L] */
static dtrace_provider_t *match_provider_again(uint32_t number, uint64_t serial)
{
	dtrace_provider_t *prov = idtable_lookup(&engine.providers, number);

	ENGINE_ASSERT_LOCKED();
	return prov && prov->serial == serial ? prov : NULL;
}

/* Return the first probe of a provider with a higher serial number, or NULL. [L] */
static struct link *match_probe_after(dtrace_provider_t *prov, uint64_t serial)
{
	struct link *l;

	ENGINE_ASSERT_LOCKED();
	link_for_each(l, &prov->probes)
		if (link_entry(l, dtrace_probe_t, link)->serial > serial)
			break;
	return l;
}

/*
 * Attach a clause to the probes of a provider. Pauses: the probe at which the pass is may be
 * removed meanwhile, and the provider with it. [L]
 */
static int match_probes(struct matching *m, dtrace_state_t *state, const struct clause *c,
			dtrace_provider_t *prov, uint32_t *n, struct dof_err *err)
{
	uint32_t number = prov->number;
	uint64_t serial = prov->serial;
	struct link *l = prov->probes.next;
	int rc = 0;

	ENGINE_ASSERT_LOCKED();
	while (!rc && l != &prov->probes) {
		dtrace_probe_t *p = link_entry(l, dtrace_probe_t, link);

		if (p->serial > m->newest)
			break;
		if (!p->listing && probe_matches_within(p, &m->globs))
			rc = match_attach(state, c, p, n, err);
		if (rc)
			break;
		p->refs++;
		rc = engine_pause(&m->pause);
		if (!m->pause.paused) {
			l = l->next;
		} else {
			prov = match_provider_again(number, serial);
			if (prov)
				l = link_empty(&p->link) ? match_probe_after(prov, p->serial)
							 : p->link.next;
		}
		probe_unref(p);
		if (!prov)
			break;
	}
	return rc;
}

/* Attach a clause to those probes of a provider that the index of names finds. [L] */
static int match_indexed(struct matching *m, dtrace_state_t *state, const struct clause *c,
			 const dtrace_provider_t *prov, uint32_t *n, struct dof_err *err)
{
	int rc = 0;

	ENGINE_ASSERT_LOCKED();
	for (dtrace_probe_t *p = probe_first_indexed(prov, &m->globs); p && !rc;
	     p = probe_next_indexed(p, &m->globs))
		if (!p->listing && p->serial <= m->newest)
			rc = match_attach(state, c, p, n, err);
	return rc;
}

/* Attach a clause to an element of a listing. [L] */
static int match_listed(dtrace_state_t *state, const struct clause *c, dtrace_listing_t *l,
			uint32_t nth, uint32_t *n, struct dof_err *err)
{
	bool made;
	dtrace_probe_t *p = listing_probe(l, nth, &made);
	int rc;

	ENGINE_ASSERT_LOCKED();
	if (!p) {
		port_write_once(&state->unattached, state->unattached + 1);
		return 0;
	}
	rc = match_attach(state, c, p, n, err);
	if (made && !p->ecbs && link_empty(&p->unused))
		probe_remove_unused(p);
	return rc;
}

/*
 * Attach a clause to the elements of a provider's listings. The lock is released now and then;
 * meanwhile listings may end, and the provider with them. [L]
 */
static int match_listings(struct matching *m, dtrace_state_t *state, const struct clause *c,
			  dtrace_provider_t *prov, uint32_t *n, struct dof_err *err)
{
	uint32_t number = prov->number;
	uint64_t serial = prov->serial, after = 0;
	dtrace_listing_t *l;
	int rc = 0;

	ENGINE_ASSERT_LOCKED();
	while (!rc && prov && (l = listing_after(prov, after)) && l->serial <= m->newest) {
		after = l->serial;
		if (!listing_could(l, &m->globs))
			continue;
		for (uint32_t i = 0; !rc && i < l->n; i++) {
			if (listing_matches(l, i, &m->globs))
				rc = match_listed(state, c, l, i, n, err);
			if (!rc)
				rc = engine_pause(&m->pause);
			if (!m->pause.paused)
				continue;
			prov = match_provider_again(number, serial);
			l = prov ? listing_after(prov, after - 1) : NULL;
			if (!l || l->serial != after)
				break;
		}
	}
	return rc;
}

/* Attach a clause to all of a provider that it matches. Pauses. [L] */
static int match_provider(struct matching *m, dtrace_state_t *state, const struct clause *c,
			  dtrace_provider_t *prov, uint32_t *n, struct dof_err *err)
{
	uint32_t number = prov->number;
	uint64_t serial = prov->serial;
	int rc;

	ENGINE_ASSERT_LOCKED();
	if (provider_is_indexed(prov, &m->globs))
		return match_indexed(m, state, c, prov, n, err);
	rc = match_probes(m, state, c, prov, n, err);
	prov = match_provider_again(number, serial);
	return rc || !prov ? rc : match_listings(m, state, c, prov, n, err);
}

/* Attach a clause to the probe, or the element of a listing, with the number that it names. [L] */
static int match_id(dtrace_state_t *state, const struct clause *c, uint32_t *n, struct dof_err *err)
{
	dtrace_probe_t *p = idtable_lookup(&engine.probes, c->desc.dtpd_id);
	dtrace_listing_t *l;
	uint32_t nth;

	ENGINE_ASSERT_LOCKED();
	if (p)
		return provider_visible(p->prov, &state->cred) ? match_attach(state, c, p, n, err)
							       : 0;
	l = listing_of(c->desc.dtpd_id, &nth);
	return l && provider_visible(l->prov, &state->cred) ? match_listed(state, c, l, nth, n, err)
							    : 0;
}

/* Attach a clause to all probes that it matches. Pauses. [L] */
static int match_clause(struct matching *m, dtrace_state_t *state, const struct clause *c,
			uint32_t *n, struct dof_err *err)
{
	dtrace_provider_t *prov;
	uint32_t number = 0;
	int rc = 0;

	ENGINE_ASSERT_LOCKED();
	if (c->desc.dtpd_id != DTRACE_IDNONE)
		return match_id(state, c, n, err);
	glob_desc_compile(&m->globs, &c->desc);
	while (!rc && (prov = provider_next(number))) {
		number = prov->number;
		if (provider_visible(prov, &state->cred) &&
		    provider_matches(state, prov, &m->globs.prov))
			rc = match_provider(m, state, c, prov, n, err);
		if (!rc)
			rc = engine_pause(&m->pause);
	}
	return rc;
}

int enabling_match(dtrace_state_t *state, struct enabling *en, uint32_t *n, struct dof_err *err)
{
	struct matching *m = port_alloc(sizeof(*m));
	int rc = 0;

	*n = 0;
	if (!m)
		return ERR(err, -ENOMEM, "no memory to match probes");
	rc = account_turn_begin(state->account);
	if (rc)
		goto out;
	engine_lock();
	m->newest = engine.probe_serial;
	for (uint32_t i = 0; !rc && i < en->nclauses; i++) {
		rc = match_clause(m, state, &en->clauses[i], n, err);
		if (!rc)
			rc = engine_pause(&m->pause);
	}
	engine_unlock();
	account_turn_end(state->account);
	deferred_free(m->pause.deferred);
out:
	port_free(m);
	return rc;
}

/* Return the session with the next higher number, or NULL. [L] */
static dtrace_state_t *match_state_after(uint32_t number)
{
	struct link *l;

	ENGINE_ASSERT_LOCKED();
	link_for_each(l, &engine.states)
		if (link_entry(l, dtrace_state_t, link)->number > number)
			return link_entry(l, dtrace_state_t, link);
	return NULL;
}

/* Return the nth enabling of a session, or NULL. [L] */
static struct enabling *match_enabling(dtrace_state_t *state, uint32_t nth)
{
	struct link *l;

	ENGINE_ASSERT_LOCKED();
	link_for_each(l, &state->enablings)
		if (nth-- == 0)
			return link_entry(l, struct enabling, link);
	return NULL;
}

/* Attach a clause to those of the probes that it matches and that still exist. [L] */
static void match_clause_fresh(struct matching *m, dtrace_state_t *state, const struct clause *c,
			       dtrace_provider_t *prov, const struct fresh *fresh)
{
	struct dof_err none = {0};
	uint32_t matched = 0;

	ENGINE_ASSERT_LOCKED();
	if (c->desc.dtpd_id != DTRACE_IDNONE)
		return;
	glob_compile(&m->globs.prov, c->desc.dtpd_provider);
	if (!provider_matches(state, prov, &m->globs.prov))
		return;
	glob_desc_compile(&m->globs, &c->desc);
	if (fresh->listing && !listing_could(fresh->listing, &m->globs))
		return;
	for (uint32_t i = 0; i < fresh->n; i++) {
		if (fresh->listing) {
			if (!listing_matches(fresh->listing, fresh->from + i, &m->globs))
				continue;
			m->found = true;
			match_listed(state, c, fresh->listing, fresh->from + i, &matched, &none);
		} else if (!link_empty(&fresh->probes[i]->link) && !fresh->probes[i]->listing &&
			   probe_matches_within(fresh->probes[i], &m->globs)) {
			m->found = true;
			match_attach(state, c, fresh->probes[i], &matched, &none);
		}
	}
}

#define MATCH_CLAUSE 8U /* units of work for the patterns of a clause, which are made ready */

/*
 * Return whether the user's sessions may still cause so much work. If not, count that the session
 * misses probes. [L]
 */
static bool match_charge(dtrace_state_t *state, uint64_t units)
{
	ENGINE_ASSERT_LOCKED();
	if (account_match(state->account, units))
		return true;
	port_write_once(&state->unattached, state->unattached + 1);
	return false;
}

/*
 * Attach the clauses of one session. Ends if the session has ended during a pause. The work that a
 * user's sessions may cause others is limited: beyond it, they miss probes. [L]
 */
static void match_session_fresh(struct matching *m, dtrace_state_t *state, dtrace_provider_t *prov,
				const struct fresh *fresh)
{
	uint32_t number = state->number, nth = 0;
	struct link *l;

	ENGINE_ASSERT_LOCKED();
	link_for_each(l, &state->enablings) {
		struct enabling *en = link_entry(l, struct enabling, link);

		if (!match_charge(state, 1)) /* it may have no clauses */
			return;
		for (uint32_t i = 0; i < en->nclauses; i++) {
			if (!match_charge(state, fresh->n + MATCH_CLAUSE))
				return;
			match_clause_fresh(m, state, &en->clauses[i], prov, fresh);
			m->pause.turns += fresh->n / 8 + 8; /* the patterns are made ready, too */
			engine_pause(&m->pause);
			if (!m->pause.paused)
				continue;
			if (match_state_after(number - 1) != state || state->number != number)
				return;
			/* enablings go in the order opposite to that in which they came */
			if (match_enabling(state, nth) != en)
				return;
		}
		nth++;
	}
}

void enabling_match_fresh(struct matching *m, dtrace_provider_t *prov, const struct fresh *fresh)
{
	dtrace_state_t *state;
	uint32_t number = 0;

	ENGINE_ASSERT_LOCKED();
	while ((state = match_state_after(number))) {
		number = state->number;
		if (port_read_once(&state->activity) < DTRACE_ACTIVITY_DRAINING &&
		    !link_empty(&state->enablings) && provider_visible(prov, &state->cred))
			match_session_fresh(m, state, prov, fresh);
		engine_pause(&m->pause);
	}
}

/* ---- the end of ECBs ---- */

/* Return whether an ECB is of an enabling; en NULL: of any. */
static bool enabling_owns(const struct enabling *en, const struct ecb *ecb)
{
	return !en || (ecb->clause >= en->clauses && ecb->clause < en->clauses + en->nclauses);
}

struct deferred *enabling_drop(dtrace_state_t *state, const struct enabling *en)
{
	struct engine_pause pause = {0};
	struct hnode *n, *next;

	engine_lock();
	for (uint32_t i = 0; i < state->ecbs.size; i++) {
		for (n = state->ecbs.buckets[i]; n; n = next) {
			struct ecb *ecb = link_entry(n, struct ecb, by_epid);

			next = n->next;
			if (!enabling_owns(en, ecb))
				continue;
			if (link_empty(&ecb->link))
				probe_detach(ecb->probe, ecb);
			ecb_free(ecb);
		}
		engine_pause(&pause); /* killed or not: all of them must go */
	}
	engine_unlock();
	return pause.deferred;
}

void enabling_bind(const dtrace_state_t *state, uint32_t cpu)
{
	struct link *l;

	ENGINE_ASSERT_LOCKED();
	link_for_each(l, &state->intervals)
		ecb_bind(link_entry(l, struct ecb, interval), cpu);
}

/* Return whether a session that has begun has an ECB on the probe, other than this session. [L] */
static bool probe_has_other(const dtrace_probe_t *probe, const dtrace_state_t *state)
{
	const struct ecb_list *list = probe->ecbs;

	ENGINE_ASSERT_LOCKED();
	for (uint32_t i = 0; list && i < list->used; i++)
		if (list->ecbs[i] && list->ecbs[i]->state != state &&
		    port_read_once(&list->ecbs[i]->state->activity) != DTRACE_ACTIVITY_INACTIVE)
			return true;
	return false;
}

static void ecb_begin(const struct ecb *ecb)
{
	const dtrace_provider_t *prov = ecb->probe->prov;

	if (prov->ops->begin && !probe_has_other(ecb->probe, ecb->state))
		prov->ops->begin(prov->arg, ecb->probe, ecb->probe->parg);
}

void enabling_begin(const dtrace_state_t *state)
{
	struct link *l;

	ENGINE_ASSERT_LOCKED();
	link_for_each(l, &state->intervals)
		ecb_begin(link_entry(l, struct ecb, interval));
}

void enabling_retire(dtrace_probe_t *probe)
{
	struct ecb_list *list = probe->ecbs;

	ENGINE_ASSERT_LOCKED();
	for (uint32_t i = 0; list && i < list->n; i++) {
		struct ecb *ecb = list->ecbs[i];

		if (!ecb)
			continue;
		ecb->retired = ecb->state->snapshots;
		link_remove(&ecb->interval);
		link_append(&ecb->state->retired, &ecb->link);
		probe_detach(probe, ecb);
	}
}

/*
 * Return the number of the snapshot since which each CPU's buffer has been read three times: the
 * consumer has handled all that was recorded before. [L]
 */
static uint64_t enabling_read_mark(const dtrace_state_t *state)
{
	uint64_t mark = UINT64_MAX;

	for (uint32_t i = 0; i < port_ncpus(); i++)
		if (state->cpus[i].on && state->cpus[i].snapshots[2] < mark)
			mark = state->cpus[i].snapshots[2];
	for (uint32_t i = 0; i < state->nspecs; i++) {
		const struct speculation *s = &state->specs[i];

		if (port_read_once(&s->state) != SPEC_INACTIVE && port_read_once(&s->born) < mark)
			mark = port_read_once(&s->born);
	}
	return mark;
}

void enabling_reap(dtrace_state_t *state)
{
	struct engine_pause pause = {0};
	uint64_t mark = UINT64_MAX;
	struct link *l, *n;

	STATE_ASSERT_LOCKED(state);
	engine_lock();
	if (state->cpus && !link_empty(&state->retired))
		mark = enabling_read_mark(state);
	/*
	 * While this pauses, others only append to the list: the session's lock keeps its
	 * elements.
	 */
	link_for_each_safe(l, n, &state->retired) {
		struct ecb *ecb = link_entry(l, struct ecb, link);

		/* Until its probe has ended a firing may be about to record something. */
		if (!ecb->probe->prov && (!ecb->recorded || ecb->retired < mark))
			ecb_free(ecb);
		engine_pause(&pause); /* killed or not: the list must not become longer */
	}
	engine_unlock();
	deferred_free(pause.deferred);
}

struct ecb *enabling_lookup(dtrace_state_t *state, dtrace_epid_t epid)
{
	ENGINE_ASSERT_LOCKED();
	for (struct hnode *n = htable_first(&state->ecbs, hash_int(epid)); n; n = htable_next(n))
		if (link_entry(n, struct ecb, by_epid)->epid == epid)
			return link_entry(n, struct ecb, by_epid);
	return NULL;
}
