/* SPDX-License-Identifier: MIT */
/*
 * compile.c - a compilation from its beginning to its end: a text is parsed, the probes of its
 * clauses are looked for, then the clauses are compiled. After a failure, the names and types that
 * it declared are forgotten.
 *
 * A clause without if is one clause of the engine. A clause with if becomes several parts, which
 * the same firing runs in order: the predicate of each part tells whether the conditions of the ifs
 * lead to it. A part knows that from clause-local variables of its own clause, the guards. They
 * outlive a firing and so may be stale. Therefore "yes" is the time of the firing, which is the
 * same for all parts of a firing, and differs between any two firings on a CPU.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../pid/pid.h"
#include "compile.h"
#include "hint.h"
#include "kernel.h"
#include "library.h"
#include "stability.h"
#include "unparse.h"

/* ---- names and types that a compilation declares ---- */

/* The state before a compilation of all tables that it extends. */
typedef struct dt_mark {
	uint32_t types, globals, selfs, providers, libraries, symbols;
	struct dt_translator *translators;
	dt_made_t *made;
	dt_aggvar_t **aggvars;
} dt_mark_t;

/* Return what the compiler has now. */
static dt_mark_t compile_mark(dtrace_hdl_t *dtp)
{
	struct dt_compiler *c = dtp->comp;
	dt_mark_t m = {c->types.n,   c->globals.n,   c->selfs.n, c->providers.n, c->libraries.n,
		       c->symbols.n, c->translators, c->made,	 &dtp->aggvars};

	while (*m.aggvars)
		m.aggvars = &(*m.aggvars)->next;
	return m;
}

/* Forget the names and types that were declared since a mark. */
static void compile_rollback(dtrace_hdl_t *dtp, const dt_mark_t *m)
{
	struct dt_compiler *c = dtp->comp;

	scope_rollback(&c->types, m->types);
	scope_rollback(&c->globals, m->globals);
	scope_rollback(&c->selfs, m->selfs);
	scope_rollback(&c->providers, m->providers);
	scope_rollback(&c->libraries, m->libraries);
	scope_rollback(&c->symbols, m->symbols);
	c->translators = m->translators;
	for (; c->made != m->made; c->made = c->made->next)
		*c->made->what = NULL;
	*m->aggvars = NULL;
}

/* ---- probe descriptions: from text and to text ---- */

/* Return whether at is a colon that divides fields. Behind a backslash it is part of a name. */
static bool is_divider(const char *text, const char *at)
{
	return *at == ':' && (at == text || at[-1] != '\\');
}

int dtrace_str2desc(dtrace_hdl_t *dtp, dtrace_probespec_t spec, const char *text,
		    dtrace_probedesc_t *desc)
{
	char *fields[] = {desc->dtpd_provider, desc->dtpd_mod, desc->dtpd_func, desc->dtpd_name};
	static const size_t capacity[] = {DTRACE_PROVNAMELEN, DTRACE_MODNAMELEN, DTRACE_FUNCNAMELEN,
					  DTRACE_NAMELEN};
	const char *end = text + strlen(text);

	memset(desc, 0, sizeof(*desc));
	if (spec == DTRACE_PROBESPEC_NONE)
		return dt_set_errno(dtp, EDT_BADDESC);
	for (int i = spec;; i--) {
		const char *start = end;

		while (start > text && !is_divider(text, start - 1))
			start--;
		if (i < 0)
			return dt_set_error(dtp, EDT_BADDESC,
					    "probe description has too many fields: %s", text);
		if ((size_t)(end - start) >= capacity[i])
			return dt_set_error(dtp, EDT_BADDESC,
					    "field of probe description is too long: %.*s",
					    (int)(end - start), start);
		memcpy(fields[i], start, end - start);
		if (start == text)
			return 0;
		end = start - 1;
	}
}

char *dtrace_desc2str(const dtrace_probedesc_t *desc, char *text, size_t len)
{
	if (desc->dtpd_id != DTRACE_IDNONE)
		snprintf(text, len, "%u", desc->dtpd_id);
	else
		snprintf(text, len, "%s:%s:%s:%s", desc->dtpd_provider, desc->dtpd_mod,
			 desc->dtpd_func, desc->dtpd_name);
	return text;
}

/* ---- a description in a program ---- */

static bool probe_is_id(const char *text)
{
	for (; *text; text++)
		if (!isdigit((unsigned char)*text))
			return false;
	return true;
}

/*
 * Read the number of a probe. If the world can be asked, the probe must exist. Describe it by its
 * number, or by its names where the engines of the world have numbers of their own.
 */
static void probe_parse_id(dt_ctx_t *cx, const char *text, dtrace_probespec_t spec,
			   const dt_loc_t *loc, dtrace_probedesc_t *desc)
{
	unsigned long id = strtoul(text, NULL, 10);
	dtrace_probedesc_t found;

	if (id == 0 || id > INT32_MAX)
		dt_error(dt_hint(cx, "write an ID that dtrace -l shows"), loc, D_PDESC_INVAL,
			 "%s is not a probe ID", text);
	if (spec == DTRACE_PROBESPEC_PROVIDER || spec == DTRACE_PROBESPEC_MOD ||
	    spec == DTRACE_PROBESPEC_FUNC)
		dt_error(cx, loc, D_PDESC_INVAL,
			 "probe ID %s is not the name of a provider, module or function", text);
	if (cx->dtp->world && dtrace_id2desc(cx->dtp, (dtrace_id_t)id, &found) != 0)
		dt_error(dt_hint(cx, "%s",
				 dt_world_numbers(cx->dtp)
					 ? "dtrace -l lists the probe IDs"
					 : "each run of dtrace numbers the probes of programs by "
					   "itself: name the probe by -n instead"),
			 loc, D_PDESC_INVAL, "no probe with ID %s", text);
	if (dt_world_numbers(cx->dtp)) {
		desc->dtpd_id = (dtrace_id_t)id;
		return;
	}
	pid_escape(found.dtpd_provider, desc->dtpd_provider, sizeof(desc->dtpd_provider));
	pid_escape(found.dtpd_mod, desc->dtpd_mod, sizeof(desc->dtpd_mod));
	pid_escape(found.dtpd_func, desc->dtpd_func, sizeof(desc->dtpd_func));
	pid_escape(found.dtpd_name, desc->dtpd_name, sizeof(desc->dtpd_name));
}

/* Set the hint for a pid probe that does not exist, perhaps as its module is not mapped yet. */
static void probe_hint(dt_ctx_t *cx, const dtrace_probedesc_t *desc, const struct dt_pid_error *err)
{
	bool any = !*desc->dtpd_mod || strpbrk(desc->dtpd_mod, "*?[");
	const char *hint = err->hint;

	if (err->fault != DT_PID_LIB && (err->fault != DT_PID_FUNC || !any)) {
		if (*hint)
			dt_hint(cx, "%s", hint);
		return;
	}
	if (!*hint)
		hint = err->fault == DT_PID_LIB ? "/proc/PID/maps shows its modules"
						: dt_tag_hint(D_PROC_FUNC);
	dt_hint(cx, "%s%s -Z waits for modules that are mapped later", hint, *err->hint ? "" : ";");
}

/* Register the probes of the pid provider that a description names. */
static void probe_register(dt_ctx_t *cx, dtrace_probedesc_t *desc, const dt_loc_t *loc)
{
	static const dt_tag_t tags[DT_PID_MAX] = {
		[DT_PID_BADPROV] = D_PROC_BADPROV,   [DT_PID_BADPID] = D_PROC_BADPID,
		[DT_PID_GRAB] = D_PROC_GRAB,	     [DT_PID_LIB] = D_PDESC_ZERO,
		[DT_PID_FUNC] = D_PROC_FUNC,	     [DT_PID_NAME] = D_PROC_NAME,
		[DT_PID_OFF] = D_PROC_OFF,	     [DT_PID_ALIGN] = D_PROC_ALIGN,
		[DT_PID_CREATE] = D_PROC_CREATEFAIL, [DT_PID_MOVED] = D_PROC_CREATEFAIL,
		[DT_PID_NODEV] = D_PROC_NODEV,
	};
	bool later = cx->flags & DTRACE_C_ZDEFS || dt_copt(cx->dtp, DT_COPT_ZDEFS);
	struct dt_pid_error err = {0};

	if (dt_pid_describe(cx->dtp, desc, later, &err) == 0)
		return;
	probe_hint(cx, desc, &err);
	dt_error(cx, loc, tags[err.fault], "%s", err.message);
}

void probe_parse(dt_ctx_t *cx, const char *text, const dt_loc_t *loc, dtrace_probedesc_t *desc)
{
	dtrace_probespec_t spec = cx->flags & DTRACE_C_PSPEC ? cx->spec : DTRACE_PROBESPEC_NAME;

	memset(desc, 0, sizeof(*desc));
	if (probe_is_id(text)) {
		probe_parse_id(cx, text, spec, loc, desc);
		return;
	}
	if (spec == DTRACE_PROBESPEC_NONE)
		spec = DTRACE_PROBESPEC_NAME;
	if (dtrace_str2desc(cx->dtp, spec, text, desc) != 0)
		dt_error(cx, loc, D_PDESC_INVAL, "%s",
			 dtrace_errmsg(cx->dtp, dtrace_errno(cx->dtp)));
}

const char *probe_text(dt_ctx_t *cx, const dtrace_probedesc_t *desc)
{
	char buf[DTRACE_FULLNAMELEN];

	return arena_strdup(&cx->tmp, dtrace_desc2str(desc, buf, sizeof(buf)));
}

/*
 * Refuse descriptions that match nothing, unless probes may come later: those of the module's
 * providers do not come in another world. Refuse those of many functions to a provider that makes
 * probes at the instructions of one: they would also match probes of others.
 */
static void probe_check(dt_ctx_t *cx, const dtrace_probedesc_t *desc, const dt_loc_t *loc)
{
	const bool asked = dt_copt(cx->dtp, DT_COPT_ZDEFS);
	const bool later = asked || cx->flags & DTRACE_C_ZDEFS;

	if (dt_probe_is_broad(desc))
		dt_error(hint_probe(cx, desc), loc, D_PDESC_ZERO,
			 "probe description %s names no function", probe_text(cx, desc));
	if (clause_is_helper(desc) || (later && !(asked && dt_world_lacks_kernel(cx->dtp))))
		return;
	errno = 0;
	if (dt_probe_args(cx->dtp, desc, NULL, 0) < 0 &&
	    (errno == DTRACE_REFUSED_MODULE ||
	     (!later && (errno == ESRCH || dt_probe_failure(desc, errno)))))
		dt_error(hint_probe(cx, desc), loc, D_PDESC_ZERO,
			 "probe description %s does not match any probes", probe_text(cx, desc));
}

/* ---- the parts of a clause, and how dtrace -d shows them ---- */

/* A clause that is being divided. */
typedef struct dt_split {
	const dtrace_probedesc_t *descs;
	uint32_t ndescs;
	dt_clause_t *part; /* statements go here, or NULL: a part must be opened first */
	FILE *out;	   /* for dtrace -d, else NULL */
	bool shown;	   /* the part's head has been printed there */
} dt_split_t;

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
	dt_clause_args_t args = {.descs = item->descs, .ndescs = item->ndescs};

	cx->part = NULL;
	clause_check_helper(cx, item->descs, item->ndescs, item->locs);
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

void compile_clauses(dt_ctx_t *cx)
{
	const dt_item_t *items = cx->items;
	dt_scope_t checked = {0}; /* a check may look through all processes */
	const char *text;

	cx->items = NULL;
	cx->lastitem = &cx->items;
	cx->part = NULL;
	for (const dt_item_t *item = items; item; item = item->next)
		for (uint32_t i = 0; i < item->ndescs; i++) {
			probe_register(cx, &item->descs[i], &item->locs[i]);
			text = probe_text(cx, &item->descs[i]);
			if (scope_lookup(&checked, text))
				continue;
			probe_check(cx, &item->descs[i], &item->locs[i]);
			scope_insert(&checked, &cx->tmp, text, &item->descs[i]);
		}
	for (const dt_item_t *item = items; item; item = item->next) {
		if (item->text)
			fputs(item->text, stdout);
		else
			clause_compile(cx, item);
	}
}

/* ---- a program ---- */

static void compile_program(dt_ctx_t *cx, const char *text)
{
	lex_init(&cx->lex, cx->file, text, strlen(text), cx->flags & DTRACE_C_CTL);
	parse_program(cx);
	compile_clauses(cx);
	if (!cx->prog->clauses && !(cx->flags & DTRACE_C_EMPTY))
		dt_error(cx, NULL, D_EMPTY, "the program has no clauses");
	pragma_check_used(cx);
	if (cx->library)
		scope_insert(&cx->comp->libraries, &cx->comp->arena, basename(cx->file), cx);
	else
		macro_check_used(cx);
}

/*
 * Give clauses and statements their numbers last: those of programs with errors must not be in the
 * tables.
 */
static int compile_register(dtrace_hdl_t *dtp, dtrace_prog_t *prog)
{
	for (dt_clause_t *c = prog->clauses; c; c = c->next) {
		c->id = ++dtp->nclauses;
		for (uint32_t i = 0; i < c->nstmts; i++) {
			c->stmts[i]->id = dt_stmt_register(dtp, c->stmts[i]);
			if (!c->stmts[i]->id)
				return -1;
		}
	}
	return 0;
}

static int compile_failed(dt_ctx_t *cx, int how)
{
	if (how == 2)
		return dt_set_errno(cx->dtp, ENOMEM);
	if (cx->library && cx->errtag == D_PRAGMA_DEPEND) {
		dt_debug(cx->dtp, "library %s is left out: %s", cx->file, cx->message);
		return 1;
	}
	return dt_set_errmsg(cx->dtp, dt_errors(cx));
}

/* Make the context of a program. Return NULL without memory. */
static dt_ctx_t *compile_context(dtrace_hdl_t *dtp, const dt_source_t *src)
{
	dtrace_prog_t *prog = calloc(1, sizeof(*prog));
	dt_ctx_t *cx = calloc(1, sizeof(*cx));

	if (!prog || !cx) {
		free(prog);
		free(cx);
		return NULL;
	}
	*cx = (dt_ctx_t){.dtp = dtp,
			 .comp = dtp->comp,
			 .ast = &cx->tmp,
			 .flags = src->flags,
			 .spec = src->spec,
			 .argc = src->argc,
			 .argv = src->argv,
			 .library = src->library,
			 .lastitem = &cx->items,
			 .prog = prog,
			 .tail = &prog->clauses,
			 .file = src->file,
			 .script = src->file};
	dtp->comp->gen++;
	cx->tmp.nomem = prog->arena.nomem = dtp->comp->arena.nomem = &cx->fail;
	return cx;
}

/* End a compilation. Return the program, or NULL if it failed. */
static dtrace_prog_t *compile_end(dt_ctx_t *cx, int rc)
{
	dtrace_prog_t *prog = cx->prog;

	if (rc || cx->library) {
		dt_prog_destroy(cx->dtp, prog);
		prog = NULL;
	}
	cx->comp->arena.nomem = NULL;
	arena_free(&cx->tmp);
	free(cx);
	return prog;
}

int compile_run(dtrace_hdl_t *dtp, const dt_source_t *src, dtrace_prog_t **progp)
{
	dt_mark_t mark = compile_mark(dtp);
	dt_ctx_t *cx = compile_context(dtp, src);
	int rc;

	*progp = NULL;
	if (!cx)
		return dt_set_errno(dtp, ENOMEM);
	rc = setjmp(cx->fail);
	if (rc == 0)
		compile_program(cx, src->text);
	else
		rc = compile_failed(cx, rc);
	if (rc == 0 && !cx->library)
		rc = compile_register(dtp, cx->prog);
	if (rc)
		compile_rollback(dtp, &mark);
	*progp = compile_end(cx, rc);
	return rc;
}

dtrace_prog_t *dt_compile(dtrace_hdl_t *dtp, const char *file, const char *text,
			  dtrace_probespec_t spec, uint32_t flags, int argc, char *const argv[])
{
	dtrace_prog_t *prog;
	char *cpp = NULL;

	if (!(flags & DTRACE_C_NOLIBS) && !dtp->comp->libs_loaded) {
		dtp->comp->libs_loaded = true;
		if (library_load(dtp) != 0)
			return NULL;
		deferred_libraries_end(dtp->comp);
	}
	if (flags & DTRACE_C_CPP) {
		cpp = cpp_run(dtp, file, text);
		if (!cpp)
			return NULL;
		text = cpp;
	}
	compile_run(dtp, &(dt_source_t){file, text, spec, flags, argc, argv, false}, &prog);
	free(cpp);
	return prog;
}

void dt_prog_destroy(dtrace_hdl_t *dtp, dtrace_prog_t *prog)
{
	for (dt_clause_t *c = prog->clauses; c; c = c->next)
		for (uint32_t i = 0; i < c->nstmts; i++)
			if (c->stmts[i]->id)
				dtp->stmts[c->stmts[i]->id - 1] = NULL;
	arena_free(&prog->arena);
	free(prog);
}

int dt_compiler_init(dtrace_hdl_t *dtp)
{
	struct dt_compiler *c = calloc(1, sizeof(*c));
	jmp_buf nomem;

	if (!c)
		return dt_set_errno(dtp, ENOMEM);
	dtp->comp = c;
	c->arena.nomem = &nomem;
	if (setjmp(nomem) != 0) {
		dt_compiler_fini(dtp);
		return dt_set_errno(dtp, ENOMEM);
	}
	type_declare_builtin(&c->types, &c->arena);
	ident_builtin(c);
	c->arena.nomem = NULL;
	return 0;
}

void dt_compiler_fini(dtrace_hdl_t *dtp)
{
	if (!dtp->comp)
		return;
	kernel_fini(dtp->comp);
	arena_free(&dtp->comp->arena);
	free(dtp->comp);
	dtp->comp = NULL;
	dtp->aggvars = NULL;
}
