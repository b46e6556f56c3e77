/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper_run.c - runs a ustack helper for the name of a frame.
 *
 * It runs within an action of a session as if it were alone: with its own variables and strings, in
 * the rest of scratch, and without access to the kernel. The session's part of scratch counts as
 * the kernel's. A fault ends the helper, and is not reported to the session.
 */
#include "dif_mem.h"
#include "difo.h"
#include "engine_impl.h"
#include "fire.h"
#include "state.h"
#include "ustack.h"
#include "var.h"

/* The session's part of a firing, saved while a helper runs. */
struct helper_saved {
	const struct dtrace_fire *fire;
	const struct difo *difo;
	const struct var_space *vars;
	uint8_t *locals, *scratch, *scratch_top;
	uint32_t strsize;
	struct strtok *strtok;
	uint64_t hide;
	int64_t work;
};

/*
 * Allocate scratch for this-> variables, and clear them; of a string, clearing its beginning makes
 * it empty.
 */
static uint8_t *helper_locals(struct mstate *m, const struct dtrace_helper_program *p)
{
	const struct var_table *t = &p->vars.scopes[DIFV_SCOPE_LOCAL];
	uint8_t *locals = mem_alloc(m, t->bytes);

	for (uint32_t i = 0; locals && i < t->n; i++) {
		const struct var_def *def = &t->defs[i];
		bool string = def->type.dtdt_kind == DIF_TYPE_STRING;

		memset(locals + def->offset, 0,
		       !var_is_byref(def) ? 8
		       : string		  ? 9
					  : 8 + def->size);
	}
	return locals;
}

/* Allocate scratch for the string of strtok(), if the helper calls it. */
static struct strtok *helper_strtok(struct mstate *m, const struct dtrace_helper_program *p)
{
	struct strtok *t = p->strtok ? mem_alloc(m, sizeof(*t) + DTRACE_UHELP_STRSIZE) : NULL;

	if (t)
		t->number = 0;
	return t;
}

static bool helper_enter(struct mstate *m, const struct dtrace_helper_program *p,
			 const struct dtrace_fire *fire, struct helper_saved *saved)
{
	*saved = (struct helper_saved){
		.fire = m->fire,
		.difo = m->difo,
		.vars = m->vars,
		.locals = m->locals,
		.scratch = m->scratch,
		.scratch_top = m->scratch_top,
		.strsize = m->strsize,
		.strtok = m->strtok,
		.hide = m->hide,
		.work = m->sc->work,
	};
	m->locals = helper_locals(m, p);
	m->vars = &p->vars;
	m->fire = fire;
	m->strsize = DTRACE_UHELP_STRSIZE;
	m->strtok = helper_strtok(m, p);
	m->scratch = m->scratch_top;
	m->hide = UINT64_MAX;
	m->helping = true;
	m->sc->work = 0;
	return m->locals && (m->strtok || !p->strtok);
}

static void helper_leave(struct mstate *m, const struct helper_saved *saved)
{
	m->helping = false;
	m->faulted = false;
	if (m->sc->work > 0)
		m->steps += (uint64_t)m->sc->work;
	m->sc->work = saved->work;
	m->pc = DIF_NO_PC;
	m->fire = saved->fire;
	m->difo = saved->difo;
	m->vars = saved->vars;
	m->locals = saved->locals;
	m->scratch = saved->scratch;
	m->scratch_top = saved->scratch_top;
	m->strsize = saved->strsize;
	m->strtok = saved->strtok;
	m->hide = saved->hide;
}

/* Units for which a helper goes on without a look at the clock. */
#define HELPER_SLICE 4096

bool helper_work_more(struct mstate *m)
{
	uint64_t grant = (uint64_t)-m->sc->work + HELPER_SLICE;

	if (grant > m->steps)
		grant = m->steps;
	m->sc->work += (int64_t)grant;
	m->steps -= grant;
	if (m->sc->work >= 0 && (m->until == UINT64_MAX || port_timestamp() < m->until))
		return true;
	m->sc->work = 0;
	m->steps = 0;
	dif_fault(m, DTRACEFLT_ILLOP, 0);
	return false;
}

static uint64_t helper_eval(struct mstate *m, const struct difo *difo)
{
	return dif_charge(m, difo->len) ? dif_run(m, difo) : 0;
}

/* A value, and whose it is; NULL: there is none. */
struct helper_value {
	uint64_t value;
	const struct difo *difo;
};

static void helper_statement(struct mstate *m, const struct difo *difo, struct helper_value *last)
{
	uint64_t value = helper_eval(m, difo);

	if (difo->rtype.dtdt_kind == DIF_TYPE_STRING || difo->rtype.dtdt_size)
		*last = (struct helper_value){value, difo};
}

/* Run all clauses. Return the value of the last statement that runs and has one. */
static void helper_clauses(struct mstate *m, const struct dtrace_helper_program *p,
			   struct helper_value *last)
{
	for (uint32_t i = 0; i < p->nclauses && !m->faulted; i++) {
		const struct helper_clause *c = &p->clauses[i];

		if (c->pred && !helper_eval(m, c->pred))
			continue;
		for (uint32_t k = 0; k < c->nstmts && !m->faulted; k++)
			helper_statement(m, c->stmts[k], last);
	}
}

/*
 * Read the name that a helper gives: a string, or the address of a string in the helper's memory.
 */
static bool helper_string(struct mstate *m, const struct helper_value *v, struct str *name)
{
	const dtrace_diftype_t *type = &v->difo->rtype;
	size_t n = DTRACE_UHELP_STRSIZE - 1;

	m->difo = v->difo; /* a predicate may have been the last to run */
	if (type->dtdt_kind == DIF_TYPE_STRING && type->dtdt_flags & DIF_TF_BYUREF)
		return v->value && mem_string_user(m, v->value, n, name) && name->n;
	if (!mem_direct(m, v->value, &n) || !mem_string(m, v->value, n, name))
		return false;
	return name->n != 0;
}

enum helper_said helper_run(struct mstate *m, const struct dtrace_helper_program *p,
			    const struct frame *frame, struct str *name)
{
	uint64_t args[DTRACE_MAXARGS] = {frame->pc, frame->fp, frame->pc_at, p->data};
	struct dtrace_fire fire = {.args = args, .nargs = DTRACE_MAXARGS};
	enum helper_said said = HELPER_NOTHING;
	struct helper_value last = {0, NULL};
	struct helper_saved saved;

	m->helped.runs++;
	if (helper_enter(m, p, &fire, &saved))
		helper_clauses(m, p, &last);
	if (!m->faulted && last.difo && helper_string(m, &last, name))
		said = HELPER_NAME;
	if (m->faulted)
		said = HELPER_FAULT;
	helper_leave(m, &saved);
	m->helped.names += said == HELPER_NAME;
	m->helped.faults += said == HELPER_FAULT;
	return said;
}

void dtrace_helper_counts(struct dtrace_helper_counts *counts)
{
	memset(counts, 0, sizeof(*counts));
	for (unsigned int i = 0; i < port_ncpus(); i++) {
		const struct dtrace_helper_counts *c = &engine.mstates[i].helped;

		counts->runs += port_read_once(&c->runs);
		counts->names += port_read_once(&c->names);
		counts->faults += port_read_once(&c->faults);
		counts->limits += port_read_once(&c->limits);
		counts->pauses += port_read_once(&c->pauses);
	}
}
