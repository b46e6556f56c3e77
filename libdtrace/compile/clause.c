/* SPDX-License-Identifier: MIT */
/*
 * clause.c - clauses. A clause without if is one clause of the engine. A clause with if becomes
 * several parts, which the same firing runs in order: the predicate of each part tells whether the
 * conditions of the ifs lead to it.
 *
 * A part knows that from clause-local variables of its own clause, the guards. They outlive a
 * firing and so may be stale. Therefore "yes" is the time of the firing, which is the same for all
 * parts of a firing, and differs between any two firings on a CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "hint.h"
#include "stability.h"
#include "unparse.h"

typedef struct dt_split {
	const dtrace_probedesc_t *descs;
	uint32_t ndescs;
	dt_clause_t *part; /* statements go here, or NULL: a part must be opened first */
	FILE *out;	   /* for dtrace -d, else NULL */
	bool shown;	   /* the part's head has been printed there */
} dt_split_t;

/* ---- the program as it is after ifs have become clauses ---- */

static void clause_show_end(dt_split_t *sp)
{
	if (sp->shown)
		fputs("}\n\n", sp->out);
	sp->shown = false;
}

static void clause_show(dt_split_t *sp, const dt_node_t *pred)
{
	if (!sp->out)
		return;
	clause_show_end(sp);
	unparse_head(sp->descs, sp->ndescs, pred, sp->out);
	sp->shown = true;
}

/* Compile a statement other than if. */
static void clause_statement(dt_ctx_t *cx, dt_split_t *sp, dt_node_t *expr)
{
	if (sp->out)
		unparse_statement(expr, sp->out);
	tree_print(cx, expr, TREE_PARSED);
	action_compile(cx, sp->part, expr);
}

static void clause_check_helper(dt_ctx_t *cx, const dtrace_probedesc_t *descs, uint32_t ndescs,
				const dt_loc_t *locs)
{
	for (uint32_t i = 1; i < ndescs; i++)
		if (clause_is_helper(&descs[i]) != clause_is_helper(&descs[0]))
			dt_error(dt_hint(cx, "write a clause for each"), &locs[i], D_PDESC_INVAL,
				 "a clause cannot have both dtrace:helper and other probes");
}

static void clause_set_predicate(dt_ctx_t *cx, dt_clause_t *c, dt_node_t *pred)
{
	cx->part = "predicate";
	c->line = pred->loc.line;
	if (pred->loc.file)
		c->file = arena_strdup(&cx->prog->arena, pred->loc.file);
	tree_print(cx, pred, TREE_PARSED);
	pred = check_value(cx, pred);
	tree_print(cx, pred, TREE_CHECKED);
	if (!type_is_scalar(pred->type))
		dt_error(type_is_string(pred->type) ? cx : hint_scalar(cx, pred->type), &pred->loc,
			 D_PRED_SCALAR, "a predicate must be an integer or a pointer, not %s",
			 check_type_text(cx, pred->type));
	stability_expr(cx, pred, &c->stmtattr);
	c->predicate = codegen_difo(cx, ast_translated(pred));
	if (c->helper)
		helper_check(cx, &pred->loc, c->predicate);
	cx->part = "action list";
}

/* Begin a new part. The caller sets its predicate later; pred is shown as the predicate. */
static void clause_open(dt_ctx_t *cx, dt_split_t *sp, const dt_node_t *pred)
{
	dt_clause_t *c = arena_alloc(&cx->prog->arena, sizeof(*c));

	clause_show(sp, pred);
	c->descs =
		arena_grow(&cx->prog->arena, sp->descs, sp->ndescs, sp->ndescs, sizeof(*c->descs));
	c->ndescs = sp->ndescs;
	c->helper = clause_is_helper(sp->descs);
	c->stmtattr = stability_language;
	*cx->tail = c;
	cx->tail = &c->next;
	cx->prog->nclauses++;
	sp->part = c;
}

static bool clause_has_if(const dt_node_t *stmts)
{
	for (; stmts; stmts = stmts->next)
		if (stmts->kind == NODE_IF)
			return true;
	return false;
}

/* ---- ifs ---- */

static dt_node_t *clause_var(dt_ctx_t *cx, const dt_loc_t *loc, int scope, const char *name)
{
	dt_node_t *n = ast_new(cx, NODE_IDENT, loc);

	n->scope = scope;
	n->str = name;
	return n;
}

/*
 * Return the value of a guard that was set in this firing. A helper's variables are new in each
 * run.
 */
static dt_node_t *clause_now(dt_ctx_t *cx, const dt_split_t *sp, const dt_loc_t *loc)
{
	if (clause_is_helper(sp->descs))
		return ast_int(cx, loc, 1, &type_ulong);
	return clause_var(cx, loc, DIFV_SCOPE_GLOBAL, "timestamp");
}

/* A name that programs are not likely to have. */
static const char *clause_new_guard(dt_ctx_t *cx)
{
	return arena_printf(cx->ast, CLAUSE_GUARD "%u", ++cx->comp->nguards);
}

/* Add the statement this->guard = yes ? timestamp : 0; without yes, this->guard = timestamp. */
static void clause_set_guard(dt_ctx_t *cx, dt_split_t *sp, const dt_loc_t *loc, const char *guard,
			     dt_node_t *yes)
{
	dt_node_t *value = clause_now(cx, sp, loc);

	if (yes)
		value = ast_op(cx, NODE_COND, TOK_QUEST, loc, yes, value,
			       ast_int(cx, loc, 0, &type_ulong));
	clause_statement(cx, sp,
			 ast_op(cx, NODE_ASSIGN, TOK_ASSIGN, loc,
				clause_var(cx, loc, DIFV_SCOPE_LOCAL, guard), value, NULL));
}

/* Begin a new part whose predicate tests guard. NULL: it has no predicate. */
static void clause_open_guarded(dt_ctx_t *cx, dt_split_t *sp, const dt_loc_t *loc,
				const char *guard)
{
	dt_node_t *pred = NULL;

	if (guard)
		pred = ast_op(cx, NODE_BINARY, TOK_EQ, loc,
			      clause_var(cx, loc, DIFV_SCOPE_LOCAL, guard), clause_now(cx, sp, loc),
			      NULL);
	clause_open(cx, sp, pred);
	if (pred)
		clause_set_predicate(cx, sp->part, pred);
}

static void clause_split(dt_ctx_t *cx, dt_split_t *sp, dt_node_t *stmts, const char *guard);

static dt_node_t *clause_negate(dt_ctx_t *cx, const dt_split_t *sp, const dt_loc_t *loc,
				const char *guard)
{
	return ast_op(cx, NODE_BINARY, TOK_NE, loc, clause_var(cx, loc, DIFV_SCOPE_LOCAL, guard),
		      clause_now(cx, sp, loc), NULL);
}

static void clause_if(dt_ctx_t *cx, dt_split_t *sp, dt_node_t *n)
{
	const char *yes = clause_new_guard(cx), *no = clause_new_guard(cx);

	clause_set_guard(cx, sp, &n->loc, yes, n->left);
	if (n->third)
		clause_set_guard(cx, sp, &n->loc, no, clause_negate(cx, sp, &n->loc, yes));
	clause_split(cx, sp, n->right, yes);
	clause_split(cx, sp, n->third, no);
}

static void clause_split(dt_ctx_t *cx, dt_split_t *sp, dt_node_t *stmts, const char *guard)
{
	bool speculates = false;

	sp->part = NULL;
	for (dt_node_t *n = stmts; n; n = n->next) {
		if (n->kind == NODE_IF && speculates)
			dt_error(
				cx, &n->loc, D_ACT_SPEC,
				"if cannot follow speculate(): it begins a new part of the clause");
		if (!sp->part)
			clause_open_guarded(cx, sp, &n->loc, guard);
		if (n->kind == NODE_IF) {
			clause_if(cx, sp, n);
			sp->part = NULL;
		} else {
			clause_statement(cx, sp, n->left);
			speculates |= sp->part->does & DOES_SPECULATE;
		}
	}
}

/* ---- a clause as a whole ---- */

/* A clause as it was read. */
typedef struct dt_source_clause {
	const dt_loc_t *loc;
	dt_node_t *pred; /* or NULL */
	dt_node_t *stmts;
	dt_clause_t *first; /* the part that has the clause's own predicate */
} dt_source_clause_t;

/*
 * Make all parts. The first has the clause's own predicate; if the clause has an if, the first part
 * begins by noting that the predicate was true. With pred_first the predicate is compiled now,
 * otherwise later.
 */
static void clause_parts(dt_ctx_t *cx, dt_split_t *sp, dt_source_clause_t *src, bool pred_first)
{
	const char *guard = NULL;

	if (src->pred || !clause_has_if(src->stmts)) {
		clause_open(cx, sp, src->pred);
		src->first = sp->part;
		if (src->pred && pred_first)
			clause_set_predicate(cx, src->first, src->pred);
	}
	if (!clause_has_if(src->stmts)) {
		for (const dt_node_t *n = src->stmts; n; n = n->next)
			clause_statement(cx, sp, n->left);
	} else {
		if (src->pred) {
			guard = clause_new_guard(cx);
			clause_set_guard(cx, sp, src->loc, guard, NULL);
		}
		clause_split(cx, sp, src->stmts, guard);
	}
	clause_show_end(sp);
}

/* The state before a clause, to restore later. */
typedef struct dt_before {
	dt_mark_t names;
	dt_reading_t reading;
	uint32_t locals, nguards, nclauses;
	dt_clause_t **tail;
} dt_before_t;

static void clause_mark(dt_ctx_t *cx, dt_before_t *b)
{
	b->names = compile_mark(cx->dtp);
	deferred_mark(cx, &b->reading);
	b->locals = cx->locals.n;
	b->nguards = cx->comp->nguards;
	b->nclauses = cx->prog->nclauses;
	b->tail = cx->tail;
}

static void clause_reset(dt_ctx_t *cx, const dt_before_t *b)
{
	deferred_reset(cx, &b->reading);
	compile_rollback(cx->dtp, &b->names);
	scope_rollback(&cx->locals, b->locals);
	cx->comp->nguards = b->nguards;
	cx->prog->nclauses = b->nclauses;
	cx->tail = b->tail;
	*cx->tail = NULL;
}

/* Compile the actions. Return 0, or the code with which they failed. */
static int clause_try_actions(dt_ctx_t *cx, dt_split_t *sp, dt_source_clause_t *src)
{
	jmp_buf fail;
	int rc;

	memcpy(fail, cx->fail, sizeof(fail));
	rc = setjmp(cx->fail);
	if (rc == 0)
		clause_parts(cx, sp, src, false);
	memcpy(cx->fail, fail, sizeof(fail));
	return rc;
}

/*
 * Compile the actions before the predicate, which may use the variables that they create. Return
 * false if the actions need variables of the predicate. Another error does not return.
 */
static bool clause_actions_first(dt_ctx_t *cx, const dt_split_t *split, dt_source_clause_t *src)
{
	char *text = NULL;
	size_t size = 0;
	dt_split_t sp = *split;
	dt_before_t before;
	int rc;

	clause_mark(cx, &before);
	if (split->out) {
		sp.out = open_memstream(&text, &size);
		if (!sp.out)
			longjmp(cx->fail, 2);
	}
	rc = clause_try_actions(cx, &sp, src);
	if (sp.out) {
		fclose(sp.out);
		fwrite(text, 1, rc ? 0 : size, split->out);
		free(text);
	}
	if (rc == 0) {
		clause_set_predicate(cx, src->first, src->pred);
		return true;
	}
	if (rc != 1 || (cx->errtag != D_IDENT_UNDEF && cx->errtag != D_VAR_UNDEF))
		longjmp(cx->fail, rc);
	clause_reset(cx, &before);
	return false;
}

static void clause_compile(dt_ctx_t *cx, const dt_item_t *item)
{
	dt_split_t sp = {.descs = item->descs,
			 .ndescs = item->ndescs,
			 .out = cx->flags & DTRACE_C_SUGAR ? stdout : NULL};
	dt_source_clause_t src = {.loc = item->locs, .pred = item->pred, .stmts = item->stmts};
	dt_clause_args_t args;

	cx->part = NULL;
	clause_check_helper(cx, item->descs, item->ndescs, item->locs);
	probe_args_init(item->descs, item->ndescs, &args);
	cx->args = &args;
	cx->part = "action list";
	if (item->pred)
		src.stmts = ast_copy(cx, item->stmts);
	if (!item->pred || !clause_actions_first(cx, &sp, &src)) {
		src.stmts = item->stmts;
		clause_parts(cx, &sp, &src, true);
	}
	cx->args = NULL;
	cx->part = NULL;
}

void clause_compile_all(dt_ctx_t *cx)
{
	const dt_item_t *items = cx->items;

	cx->items = NULL;
	cx->lastitem = &cx->items;
	cx->part = NULL;
	for (const dt_item_t *item = items; item; item = item->next)
		for (uint32_t i = 0; i < item->ndescs; i++)
			probe_create(cx, &item->descs[i], &item->locs[i]);
	for (const dt_item_t *item = items; item; item = item->next) {
		if (item->text)
			fputs(item->text, stdout);
		else
			clause_compile(cx, item);
	}
}
