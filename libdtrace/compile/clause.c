/* SPDX-License-Identifier: MIT */
/*
 * clause.c - clauses. A clause without if is one clause of the engine. One with if becomes several
 * parts, run in order by the same firing: each has a predicate of its own that says whether this is
 * the way the ifs went.
 *
 * A part learns that from clause-local variables of its own clause, its guards. They outlive a
 * firing and so may be stale. Therefore "yes" is the time of the firing, which is the same for all
 * parts of one and never the same for two on a CPU.
 */
#include <string.h>

#include "compile.h"
#include "stability.h"
#include "unparse.h"

typedef struct dt_split {
	const dtrace_probedesc_t *descs;
	uint32_t ndescs;
	dt_clause_t *part; /* statements go here, or NULL: a part must be opened first */
	bool shown;	   /* the part's head has been printed, for dtrace -d */
} dt_split_t;

static dt_difo_t *clause_predicate(dt_ctx_t *cx, dt_node_t *pred)
{
	dt_difo_t *difo;

	cx->region = "predicate";
	if (!type_is_scalar(pred->type))
		dt_error(type_is_string(pred->type) ? cx : remedy_scalar(cx, pred->type),
			 &pred->loc, D_PRED_SCALAR,
			 "a predicate must be an integer or pointer, not %s",
			 check_type_text(cx, pred->type));
	difo = codegen_difo(cx, pred);
	cx->region = "action list";
	return difo;
}

/* ---- the program as it is after ifs have become clauses ---- */

static void clause_show_end(dt_split_t *sp)
{
	if (sp->shown)
		fputs("}\n\n", stdout);
	sp->shown = false;
}

static void clause_show(dt_ctx_t *cx, dt_split_t *sp, const dt_node_t *pred)
{
	if (!(cx->flags & DTRACE_C_SUGAR))
		return;
	clause_show_end(sp);
	unparse_head(sp->descs, sp->ndescs, pred, stdout);
	sp->shown = true;
}

/* A statement that is no if. */
static void clause_statement(dt_ctx_t *cx, dt_split_t *sp, dt_node_t *expr)
{
	if (cx->flags & DTRACE_C_SUGAR)
		unparse_statement(expr, stdout);
	tree_print(cx, expr, TREE_PARSED);
	action_compile(cx, sp->part, expr);
}

static dt_node_t *clause_check_predicate(dt_ctx_t *cx, dt_split_t *sp, dt_node_t *pred)
{
	clause_show(cx, sp, pred);
	if (!pred)
		return NULL;
	tree_print(cx, pred, TREE_PARSED);
	pred = check_value(cx, pred);
	tree_print(cx, pred, TREE_CHECKED);
	return pred;
}

static void clause_check_helper(dt_ctx_t *cx, const dtrace_probedesc_t *descs, uint32_t ndescs,
				const dt_loc_t *locs)
{
	for (uint32_t i = 1; i < ndescs; i++)
		if (clause_is_helper(&descs[i]) != clause_is_helper(&descs[0]))
			dt_error(dt_remedy(cx, "write a clause for each"), &locs[i], D_PDESC_INVAL,
				 "a clause is for dtrace:helper or for probes, not for both");
}

static void clause_open(dt_ctx_t *cx, dt_split_t *sp, dt_node_t *pred)
{
	dt_clause_t *c = pool_alloc(&cx->prog->pool, sizeof(*c));

	c->descs = pool_grow(&cx->prog->pool, sp->descs, sp->ndescs, sp->ndescs, sizeof(*c->descs));
	c->ndescs = sp->ndescs;
	c->helper = clause_is_helper(sp->descs);
	c->stmtattr = stability_language;
	if (pred) {
		stability_expr(cx, pred, &c->stmtattr);
		c->predicate = clause_predicate(cx, pred);
		if (c->helper)
			helper_check(cx, &pred->loc, c->predicate);
	}
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
 * What a guard is that was set in this firing. A helper's variables are new in each run.
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
	return pool_printf(cx->ast, CLAUSE_GUARD "%u", ++cx->comp->nguards);
}

/* this->guard = yes ? timestamp : 0; yes NULL: timestamp */
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

/* A new part; its predicate is that guard says yes (NULL: none). */
static void clause_open_guarded(dt_ctx_t *cx, dt_split_t *sp, const dt_loc_t *loc,
				const char *guard)
{
	dt_node_t *pred = NULL;

	if (guard)
		pred = ast_op(cx, NODE_BINARY, TOK_EQ, loc,
			      clause_var(cx, loc, DIFV_SCOPE_LOCAL, guard),
			      clause_now(cx, sp, loc), NULL);
	clause_open(cx, sp, clause_check_predicate(cx, sp, pred));
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
			dt_error(cx, &n->loc, D_ACT_SPEC,
				 "if cannot follow speculate( ): it begins a new part of the "
				 "clause");
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

/* The first part has the clause's own predicate and, before all else, notes that it was true. */
static void clause_split_all(dt_ctx_t *cx, dt_split_t *sp, const dt_loc_t *loc, dt_node_t *pred,
			     dt_node_t *stmts)
{
	const char *guard = pred ? clause_new_guard(cx) : NULL;

	if (pred) {
		clause_open(cx, sp, pred);
		clause_set_guard(cx, sp, loc, guard, NULL);
	}
	clause_split(cx, sp, stmts, guard);
}

void clause_compile(dt_ctx_t *cx, const dtrace_probedesc_t *descs, uint32_t ndescs,
		    const dt_loc_t *locs, dt_node_t *pred, dt_node_t *stmts)
{
	dt_split_t sp = {.descs = descs, .ndescs = ndescs};
	dt_clause_args_t args;

	cx->region = NULL;
	clause_check_helper(cx, descs, ndescs, locs);
	probe_args_init(cx, descs, ndescs, locs, &args);
	cx->args = &args;
	cx->region = "predicate";
	if (pred || !clause_has_if(stmts))
		pred = clause_check_predicate(cx, &sp, pred);
	cx->region = "action list";
	if (clause_has_if(stmts)) {
		clause_split_all(cx, &sp, locs, pred, stmts);
	} else {
		clause_open(cx, &sp, pred);
		for (; stmts; stmts = stmts->next)
			clause_statement(cx, &sp, stmts->left);
	}
	clause_show_end(&sp);
	cx->args = NULL;
	cx->region = NULL;
}
