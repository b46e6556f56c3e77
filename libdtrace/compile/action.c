/* SPDX-License-Identifier: MIT */
/*
 * action.c - makes actions of the engine from statements: the data that each action records, and
 * its DIFOs. The dt_stmt_t describes the consumer's part.
 */
#include <string.h>

#include "check.h"
#include "hint.h"
#include "kernel.h"
#include "stability.h"
#include "unparse.h"

typedef struct dt_build {
	dt_ctx_t *cx;
	dt_clause_t *clause;
	dt_stmt_t *stmt;
	const dt_node_t *node; /* for messages */
	uint32_t flags;	       /* NODE_F_* of the statement as it was read */
} dt_build_t;

/* ---- making statements ---- */

/*
 * Return whether an array of n statements or actions is full. Arrays double, so their capacity is
 * the next power of two.
 */
static bool action_is_full(uint32_t n)
{
	return (n & (n - 1)) == 0;
}

static void action_stmt(dt_build_t *b, dt_stmt_kind_t kind)
{
	struct arena *arena = &b->cx->prog->arena;
	dt_clause_t *c = b->clause;

	b->stmt = arena_alloc(arena, sizeof(*b->stmt));
	b->stmt->kind = kind;
	b->stmt->clause = c;
	b->stmt->line = b->node->loc.line;
	if (!c->file && b->node->loc.file)
		c->file = arena_strdup(arena, b->node->loc.file);
	if (action_is_full(c->nstmts))
		c->stmts = arena_grow(arena, c->stmts, c->nstmts, c->nstmts * 2 + 1,
				      sizeof(*c->stmts));
	c->stmts[c->nstmts++] = b->stmt;
}

static void action_clash(dt_build_t *b, dt_tag_t tag, const char *what) __attribute__((noreturn));

static void action_clash(dt_build_t *b, dt_tag_t tag, const char *what)
{
	dt_error(b->cx, &b->node->loc, tag, "%s", what);
}

static dt_action_t *action_add(dt_build_t *b, dtrace_actkind_t kind, uint64_t arg, dt_difo_t *difo)
{
	dt_stmt_t *s = b->stmt;
	dt_action_t *a;

	if (action_is_full(s->nactions))
		s->actions = arena_grow(&b->cx->prog->arena, s->actions, s->nactions,
					s->nactions * 2 + 1, sizeof(*a));
	a = &s->actions[s->nactions++];
	*a = (dt_action_t){.kind = kind, .arg = arg, .difo = difo};
	if (difo && difo->destructive && b->clause->does & DOES_SPECULATE)
		action_clash(b, D_ACT_SPEC,
			     "copyout() and copyoutstr() cannot follow "
			     "speculate(): they cannot be discarded");
	return a;
}

static void action_add_agg(dt_build_t *b, dt_aggvar_t *agg)
{
	dt_stmt_t *s = b->stmt;

	if (action_is_full(s->naggs))
		s->aggs = arena_grow(&b->cx->prog->arena, s->aggs, s->naggs, s->naggs * 2 + 1,
				     sizeof(*s->aggs));
	s->aggs[s->naggs++] = agg;
}

static dt_difo_t *action_value(dt_build_t *b, dt_node_t *n, const dt_type_t *type)
{
	return codegen_difo(b->cx, ast_cast(b->cx, n, type));
}

static dt_node_t *action_arg(const dt_node_t *call, uint32_t i)
{
	dt_node_t *n = call->args;

	while (n && i--)
		n = n->next;
	return n;
}

/* Return the value of an argument that must be a constant, or otherwise if it is not given. */
static int64_t action_const(dt_build_t *b, const dt_node_t *n, int64_t otherwise, dt_tag_t tag,
			    const char *what)
{
	if (!n)
		return otherwise;
	if (n->kind != NODE_INT)
		dt_error(b->cx, &n->loc, tag, "%s must be an integer constant", what);
	return (int64_t)n->value;
}

/* Check the number of arguments of an action whose prototype allows any number. */
static void action_count(dt_build_t *b, const dt_node_t *call, uint32_t least, uint32_t most,
			 dt_tag_t tag)
{
	uint32_t n = ast_count(call->args);

	if (n < least || n > most)
		function_bad_count(b->cx, call, tag, least, most);
}

/* ---- which actions go together ---- */

static void action_does_data(dt_build_t *b)
{
	if (b->clause->does & DOES_COMMIT)
		action_clash(b, D_DREC_COMM, "nothing can be recorded after commit() in a clause");
	if (!(b->clause->does & DOES_SPECULATE))
		b->clause->does |= DOES_DATA;
}

static void action_does_other(dt_build_t *b, dt_tag_t tag, const char *what)
{
	if (b->clause->does & DOES_SPECULATE)
		dt_error(b->cx, &b->node->loc, tag,
			 "%s cannot follow speculate(): it cannot be discarded", what);
}

static void action_does_speculate(dt_build_t *b)
{
	if (b->clause->does & DOES_SPECULATE)
		action_clash(b, D_SPEC_SPEC, "speculate() can be used only once in a clause");
	if (b->clause->does & DOES_COMMIT)
		action_clash(b, D_SPEC_COMM, "speculate() cannot follow commit() in a clause");
	if (b->clause->does & DOES_DATA)
		action_clash(b, D_SPEC_DREC,
			     "speculate() must come before actions that record data");
	b->clause->does |= DOES_SPECULATE;
}

static void action_does_commit(dt_build_t *b)
{
	if (b->clause->does & DOES_COMMIT)
		action_clash(b, D_COMM_COMM, "commit() can be used only once in a clause");
	if (b->clause->does & DOES_DATA)
		action_clash(b, D_COMM_DREC, "commit() must come before actions that record data");
	b->clause->does |= DOES_COMMIT;
}

/* ---- values that are recorded ---- */

/*
 * Limit a number of frames by option maxframes. If the program gives none, the options with the
 * defaults apply.
 */
static uint64_t action_frames_most(dt_build_t *b, const dt_node_t *call, uint64_t frames)
{
	static const struct {
		int option;
		uint64_t frames;
	} unasked[] = {
		[DT_STMT_STACK] = {DTRACEOPT_STACKFRAMES, DTRACE_STACKFRAMES_DEFAULT},
		[DT_STMT_USTACK] = {DTRACEOPT_USTACKFRAMES, DTRACE_USTACKFRAMES_DEFAULT},
		[DT_STMT_JSTACK] = {DTRACEOPT_JSTACKFRAMES, DTRACE_JSTACKFRAMES_DEFAULT},
	};
	dtrace_optval_t most = dt_option(b->cx->dtp, DTRACEOPT_MAXFRAMES), asked = frames;

	if (most == DTRACEOPT_UNSET || most == 0)
		return frames;
	if (asked == 0)
		asked = dt_option(b->cx->dtp, unasked[call->func->stmt].option);
	if (asked == DTRACEOPT_UNSET)
		asked = unasked[call->func->stmt].frames;
	return asked <= most ? frames : most;
}

static uint64_t action_frames(dt_build_t *b, const dt_node_t *call, dt_tag_t tag)
{
	int64_t frames = action_const(b, call->args, 0, tag, "the number of frames");

	if (call->args && (frames < 1 || frames > DTRACE_STACKFRAMES_MAX))
		dt_error(function_hint(b->cx, call->func), &call->args->loc, tag,
			 "the number of frames must be from 1 to %d", DTRACE_STACKFRAMES_MAX);
	return action_frames_most(b, call, frames);
}

static uint64_t action_ustack_arg(dt_build_t *b, const dt_node_t *call)
{
	uint64_t frames = action_frames(b, call, D_USTACK_FRAMES);
	const dt_node_t *size = action_arg(call, 1);
	int64_t strsize =
		action_const(b, size, 0, D_USTACK_STRSIZE, "the size of the string space");

	action_count(b, call, 0, 2, D_USTACK_PROTO);
	if (strsize < 0 || strsize > DTRACE_STRSIZE_MAX)
		dt_error(b->cx, &size->loc, D_USTACK_STRSIZE,
			 "the size of the string space must be from 0 to %d", DTRACE_STRSIZE_MAX);
	return DTRACE_USTACK_ARG(frames, strsize);
}

/* Add the action of a stack, or of an address that is printed as a symbol. */
static void action_add_special(dt_build_t *b, const dt_node_t *call)
{
	switch (call->func->stmt) {
	case DT_STMT_STACK:
		action_count(b, call, 0, 1, D_STACK_PROTO);
		kernel_need(b->cx, &call->loc, "stack()");
		action_add(b, DTRACEACT_STACK, action_frames(b, call, D_STACK_SIZE), NULL);
		break;
	case DT_STMT_USTACK:
	case DT_STMT_JSTACK:
		action_add(b, call->func->number, action_ustack_arg(b, call), NULL);
		break;
	default:
		action_add(b, call->func->number, 0, action_value(b, call->args, &type_ulong));
	}
}

static bool action_is_special(const dt_node_t *n)
{
	return check_is_action(n) && !type_is_void(n->type);
}

/* Return whether an expression is a pointer to a translated object, which has no address. */
static bool action_is_xlated(const dt_node_t *n)
{
	return n->kind == NODE_XLATE && type_is_pointer(n->type);
}

static void action_check_value(dt_build_t *b, const dt_node_t *n, dt_tag_t tag)
{
	const dt_type_t *t = type_resolve(n->type);

	if (type_is_dynamic(t) || check_is_action(n) || type_is_void(t) || action_is_xlated(n))
		dt_error(b->cx, &n->loc, tag, "%s() needs a value, but this expression has none",
			 b->node->func->name);
	if (!t->complete && t->kind != TYPE_STRING && t->kind != TYPE_UNKNOWN)
		dt_error(hint_tag(b->cx, t), &n->loc, D_OP_INCOMPLETE, "%s is not defined here",
			 check_type_text(b->cx, n->type));
}

/* ---- formats ---- */

/* Make a string of any form a value of type string, as a conversion for strings needs it. */
static dt_node_t *action_printf_arg(dt_build_t *b, dt_node_t *n)
{
	const dt_type_t *t = n->type;

	if (!type_is_string(t) && type_is_stringlike(t) && type_is_byref(t))
		return ast_cast(b->cx, n, &type_string);
	return n;
}

static void action_check_printf_args(dt_build_t *b, dt_node_t *args)
{
	for (; args; args = args->next)
		if (!action_is_special(args))
			action_check_value(b, args, D_PRINTF_ARG_TYPE);
}

/* Replace char pointers that a conversion takes as strings by the strings at these addresses. */
static void action_string_args(dt_build_t *b, const struct dt_format *f, dt_node_t *args)
{
	dt_node_t **tail = &args, *next;

	for (uint32_t i = 0; i < f->nconvs && *tail; i++) {
		const dt_conv_t *c = &f->convs[i];
		uint32_t skip = !!(c->flags & DT_CONV_WIDTH_ARG) + !!(c->flags & DT_CONV_PREC_ARG);

		for (; skip; skip--)
			tail = &(*tail)->next;
		if (!c->conv[0] || c->conv[0] == '%')
			continue;
		next = (*tail)->next;
		if (strchr("sSI", c->conv[0]) &&
		    (type_is_pointer((*tail)->type) || type_is_pending((*tail)->type)))
			*tail = ast_cast(b->cx, *tail, &type_string);
		(*tail)->next = next;
		tail = &(*tail)->next;
	}
	for (; args; args = args->next) {
		if (action_is_special(args))
			action_add_special(b, args);
		else
			action_add(b, b->node->func->number, 0,
				   codegen_difo(b->cx, action_printf_arg(b, args)));
	}
}

static void action_printf(dt_build_t *b, dt_node_t *call)
{
	dt_node_t *format = call->args, *args = format->next;

	if (format->kind != NODE_STRING)
		dt_error(dt_hint(b->cx, "write the format in quotes: %s(\"%%s\", x)",
				 call->func->name),
			 &format->loc, D_PRINTF_ARG_FMT,
			 "the format of %s() must be a string constant", call->func->name);
	if (call->func->stmt != DT_STMT_FREOPEN && format->len == 0)
		dt_error(b->cx, &format->loc, D_PRINTF_FMT_EMPTY, "the format of %s() is empty",
			 call->func->name);
	if (call->func->stmt == DT_STMT_FREOPEN && strcmp(format->str, ".") == 0)
		dt_error(b->cx, &format->loc, D_FREOPEN_INVALID, "\".\" is not a file");
	action_stmt(b, call->func->stmt);
	b->stmt->format =
		format_parse(b->cx, &b->cx->prog->arena, format, format->str, format->len);
	action_check_printf_args(b, args);
	format_check(b->cx, b->stmt->format, call->func->name, format, args);
	if (args)
		action_string_args(b, b->stmt->format, args);
	else
		action_add(b, call->func->number, 0, NULL);
}

/* Check that an argument is the name of an aggregation, without keys. */
static void action_check_agg(dt_build_t *b, const dt_node_t *n, dt_tag_t tag)
{
	if (n->kind != NODE_AGG || n->args)
		dt_error(b->cx, &n->loc, tag, "%s() needs the name of an aggregation here",
			 b->node->func->name);
}

static dt_aggvar_t *action_known_agg(dt_build_t *b, const dt_node_t *n, dt_tag_t tag)
{
	dt_aggvar_t *agg = ident_agg(b->cx, n->str);

	if (!agg->func)
		dt_error(hint_agg(b->cx, n->str), &n->loc, tag,
			 "aggregation %s is used before it is assigned",
			 ident_agg_text(b->cx, n->str));
	return agg;
}

static bool action_same_keys(const dt_aggvar_t *a, const dt_aggvar_t *b)
{
	if (a->nkeys != b->nkeys)
		return false;
	for (uint32_t i = 0; i < a->nkeys; i++)
		if (!type_same(a->keytypes[i], b->keytypes[i]))
			return false;
	return true;
}

static void action_printa_aggs(dt_build_t *b, const dt_node_t *args)
{
	dt_aggvar_t *agg;

	for (; args; args = args->next) {
		action_check_agg(b, args, D_PRINTA_AGGARG);
		agg = action_known_agg(b, args, D_PRINTA_AGGBAD);
		if (b->stmt->naggs && !action_same_keys(b->stmt->aggs[0], agg))
			dt_error(b->cx, &args->loc,
				 b->stmt->aggs[0]->nkeys != agg->nkeys ? D_PRINTA_AGGKEY
								       : D_PRINTA_AGGPROTO,
				 "the keys of %s are not those of %s",
				 ident_agg_text(b->cx, agg->name),
				 ident_agg_text(b->cx, b->stmt->aggs[0]->name));
		action_add_agg(b, agg);
	}
}

static void action_printa(dt_build_t *b, dt_node_t *call)
{
	dt_node_t *format = call->args && call->args->kind == NODE_STRING ? call->args : NULL;
	const dt_node_t *aggs = format ? format->next : call->args;
	dt_stmt_t *s;

	if (!call->args)
		function_bad_count(b->cx, call, D_PROTO_LEN, 1, UINT32_MAX);
	if (!aggs)
		dt_error(b->cx, &call->loc, D_PRINTA_PROTO,
			 "printa() needs at least one aggregation");
	action_stmt(b, DT_STMT_PRINTA);
	s = b->stmt;
	action_printa_aggs(b, aggs);
	if (format) {
		s->format =
			format_parse(b->cx, &b->cx->prog->arena, format, format->str, format->len);
		format_check_keys(b->cx, s->format, format, s->aggs[0]->keytypes,
				  s->aggs[0]->nkeys);
	}
	action_add(b, DTRACEACT_PRINTA, 0, NULL);
}

/* ---- the other actions ---- */

static void action_special(dt_build_t *b, dt_node_t *call)
{
	action_stmt(b, call->func->stmt);
	action_add_special(b, call);
}

static void action_trace(dt_build_t *b, dt_node_t *call)
{
	if (action_is_special(call->args)) {
		action_special(b, call->args);
		return;
	}
	if (call->args->kind == NODE_AGG)
		dt_error(b->cx, &call->args->loc, D_TRACE_AGG,
			 "trace() cannot record an aggregation");
	if (type_is_dynamic(call->args->type))
		dt_error(b->cx, &call->args->loc, D_TRACE_DYN,
			 "trace() cannot record a whole array");
	if (action_is_xlated(call->args))
		dt_error(b->cx, &call->args->loc, D_TRACE_DYN,
			 "a translated object has no address");
	action_stmt(b, call->func->stmt);
	action_check_value(b, call->args, D_TRACE_VOID);
	action_add(b, DTRACEACT_DIFEXPR, 0, codegen_difo(b->cx, action_printf_arg(b, call->args)));
}

static void action_print(dt_build_t *b, dt_node_t *call)
{
	const dt_node_t *n = call->args;

	if (n->kind == NODE_AGG)
		dt_error(b->cx, &n->loc, D_PRINT_AGG, "print() cannot print an aggregation");
	if (type_is_dynamic(n->type))
		dt_error(b->cx, &n->loc, D_PRINT_DYN, "print() cannot print a whole array");
	if (action_is_xlated(n))
		dt_error(dt_hint(b->cx, "write * before it, which makes it a value"), &n->loc,
			 D_PRINT_DYN, "a translated object has no address");
	action_stmt(b, DT_STMT_PRINT);
	action_check_value(b, n, D_PRINT_VOID);
	action_add(b, DTRACEACT_DIFEXPR, 0, codegen_difo(b->cx, call->args));
}

static void action_tracemem(dt_build_t *b, dt_node_t *call)
{
	dt_node_t *size = action_arg(call, 1), *valid = action_arg(call, 2);
	const dt_type_t *t = call->args->type;
	int64_t n = action_const(b, size, 0, D_TRACEMEM_SIZE, "the size of tracemem()");
	dt_difo_t *difo;

	action_count(b, call, 2, 3, D_TRACEMEM_ARGS);
	if (check_is_action(call->args) ||
	    !(type_is_scalar(t) || type_resolve(t)->kind == TYPE_ARRAY))
		dt_error(b->cx, &call->args->loc, D_TRACEMEM_ADDR,
			 "tracemem() needs an address, an integer or a pointer, not %s",
			 check_type_text(b->cx, t));
	if (valid && (check_is_action(valid) || !type_is_integer(valid->type)))
		dt_error(b->cx, &valid->loc, D_TRACEMEM_DYNSIZE,
			 "argument 3 of tracemem() must be an integer, not %s",
			 check_type_text(b->cx, valid->type));
	if (n < 1 || n > DTRACE_STRSIZE_MAX)
		dt_error(b->cx, &size->loc, D_TRACEMEM_SIZE,
			 "the size of tracemem() must be from 1 to %d", DTRACE_STRSIZE_MAX);
	action_stmt(b, DT_STMT_TRACEMEM);
	difo = codegen_difo(b->cx, check_copyin(b->cx, call->args, (uint64_t)n));
	difo->rtype = (dtrace_diftype_t){
		.dtdt_kind = DIF_TYPE_CTF, .dtdt_flags = DIF_TF_BYREF, .dtdt_size = (uint32_t)n};
	action_add(b, DTRACEACT_TRACEMEM, (uint64_t)n, difo);
	if (valid)
		action_add(b, DTRACEACT_TRACEMEM_DYNSIZE, 0, action_value(b, valid, &type_long));
}

/* Compile printm(size, memref(...)): size is the most bytes that are recorded. */
static void action_printm(dt_build_t *b, dt_node_t *call)
{
	dt_node_t *ref = call->args->next;
	int64_t n = action_const(b, call->args, 0, D_PRINTM_SIZE, "the size of printm()");

	if (n < 1 || n > DTRACE_STRSIZE_MAX)
		dt_error(b->cx, &call->args->loc, D_PRINTM_SIZE,
			 "the size of printm() must be from 1 to %d", DTRACE_STRSIZE_MAX);
	if (check_is_action(ref) || !type_is_pointer(ref->type))
		dt_error(b->cx, &ref->loc, D_PRINTM_ADDR,
			 "printm() needs a pointer from memref(), not %s",
			 check_type_text(b->cx, ref->type));
	action_stmt(b, DT_STMT_PRINTM);
	action_add(b, DTRACEACT_PRINTM, (uint64_t)n, codegen_difo(b->cx, ref));
}

/* Actions on a whole aggregation: how many arguments they take, and the tags of their errors. */
typedef struct dt_aggact {
	uint32_t least, most;
	dt_tag_t proto, aggarg, aggbad, scalar;
} dt_aggact_t;

static const dt_aggact_t *action_aggact(dt_stmt_kind_t kind)
{
	static const dt_aggact_t
		clear = {1, 1, D_CLEAR_PROTO, D_CLEAR_AGGARG, D_CLEAR_AGGBAD, D_UNKNOWN},
		trunc = {1, 2, D_TRUNC_PROTO, D_TRUNC_AGGARG, D_TRUNC_AGGBAD, D_TRUNC_SCALAR},
		normalize = {2,
			     2,
			     D_NORMALIZE_PROTO,
			     D_NORMALIZE_AGGARG,
			     D_NORMALIZE_AGGBAD,
			     D_NORMALIZE_SCALAR},
		denormalize = {
			1, 1, D_NORMALIZE_PROTO, D_NORMALIZE_AGGARG, D_NORMALIZE_AGGBAD, D_UNKNOWN};

	return kind == DT_STMT_CLEAR	   ? &clear
	       : kind == DT_STMT_TRUNC	   ? &trunc
	       : kind == DT_STMT_NORMALIZE ? &normalize
					   : &denormalize;
}

static void action_on_agg(dt_build_t *b, dt_node_t *call)
{
	const dt_aggact_t *act = action_aggact(call->func->stmt);
	dt_aggvar_t *agg;
	dt_node_t *arg;

	action_count(b, call, act->least, act->most, act->proto);
	action_check_agg(b, call->args, act->aggarg);
	agg = action_known_agg(b, call->args, act->aggbad);
	arg = call->args->next;
	if (arg && (check_is_action(arg) || !type_is_scalar(arg->type)))
		dt_error(b->cx, &arg->loc, act->scalar,
			 "argument 2 of %s() must be an integer, not %s", call->func->name,
			 check_type_text(b->cx, arg->type));
	action_stmt(b, call->func->stmt);
	action_add_agg(b, agg);
	action_add(b, DTRACEACT_LIBACT, 0, arg ? action_value(b, arg, &type_long) : NULL);
}

static void action_setopt(dt_build_t *b, dt_node_t *call)
{
	action_stmt(b, DT_STMT_SETOPT);
	for (dt_node_t *a = call->args; a; a = a->next)
		action_add(b, DTRACEACT_LIBACT, 0, action_value(b, a, &type_string));
}

/* Compile an action with one integer, or with no argument. */
static void action_simple(dt_build_t *b, dt_node_t *call)
{
	const dt_type_t *t = call->func->stmt == DT_STMT_CHILL ? &type_ulong : &type_int;

	action_stmt(b, call->func->stmt);
	action_add(b, call->func->number, 0, call->args ? action_value(b, call->args, t) : NULL);
}

static void action_rules(dt_build_t *b)
{
	if (b->node->func->stmt == DT_STMT_PANIC || b->node->func->stmt == DT_STMT_BREAKPOINT)
		kernel_need(b->cx, &b->node->loc, b->node->func->name);
	switch (b->node->func->stmt) {
	case DT_STMT_SPECULATE:
		action_does_speculate(b);
		break;
	case DT_STMT_COMMIT:
		action_does_commit(b);
		break;
	case DT_STMT_EXIT:
		action_does_other(b, D_EXIT_SPEC, "exit()");
		action_does_data(b);
		break;
	case DT_STMT_DISCARD:
		break;
	case DT_STMT_STOP:
	case DT_STMT_RAISE:
	case DT_STMT_CHILL:
	case DT_STMT_PANIC:
	case DT_STMT_BREAKPOINT:
	case DT_STMT_SYSTEM:
	case DT_STMT_FREOPEN:
		action_does_other(b, D_ACT_SPEC, b->node->func->name);
		if (b->node->func->stmt == DT_STMT_SYSTEM || b->node->func->stmt == DT_STMT_FREOPEN)
			action_does_data(b);
		break;
	default:
		action_does_data(b);
	}
}

static void action_call(dt_build_t *b, dt_node_t *call)
{
	action_rules(b);
	switch (call->func->stmt) {
	case DT_STMT_TRACE:
		action_trace(b, call);
		break;
	case DT_STMT_PRINT:
		action_print(b, call);
		break;
	case DT_STMT_PRINTM:
		action_printm(b, call);
		break;
	case DT_STMT_TRACEMEM:
		action_tracemem(b, call);
		break;
	case DT_STMT_PRINTF:
	case DT_STMT_SYSTEM:
	case DT_STMT_FREOPEN:
		action_printf(b, call);
		break;
	case DT_STMT_PRINTA:
		action_printa(b, call);
		break;
	case DT_STMT_CLEAR:
	case DT_STMT_TRUNC:
	case DT_STMT_NORMALIZE:
	case DT_STMT_DENORMALIZE:
		action_on_agg(b, call);
		break;
	case DT_STMT_SETOPT:
		action_setopt(b, call);
		break;
	case DT_STMT_STACK:
	case DT_STMT_USTACK:
	case DT_STMT_JSTACK:
	case DT_STMT_SYM:
	case DT_STMT_MOD:
	case DT_STMT_USYM:
	case DT_STMT_UMOD:
	case DT_STMT_UADDR:
		action_special(b, call);
		break;
	default:
		action_simple(b, call);
	}
}

/* ---- aggregations ---- */

/* A parameter of an aggregating function: a constant within limits. */
typedef struct dt_aggparam {
	const char *name;
	int64_t low, high;
	dt_tag_t type, value; /* of errors */
} dt_aggparam_t;

static int64_t action_agg_const(dt_build_t *b, const dt_node_t *call, uint32_t i, int64_t otherwise,
				const dt_aggparam_t *p)
{
	const dt_node_t *n = action_arg(call, i);
	const char *what = arena_printf(&b->cx->tmp, "the %s of %s()", p->name, call->func->name);
	int64_t value = action_const(b, n, otherwise, p->type, what);

	if (value < p->low || value > p->high)
		dt_error(b->cx, &(n ? n : call)->loc, p->value, "%s must be from %lld to %lld",
			 what, (long long)p->low, (long long)p->high);
	return value;
}

static uint64_t action_lquantize(dt_build_t *b, const dt_node_t *call)
{
	static const dt_aggparam_t params[] = {
		{"lower bound", INT32_MIN, INT32_MAX, D_LQUANT_BASETYPE, D_LQUANT_BASEVAL},
		{"upper bound", INT32_MIN, INT32_MAX, D_LQUANT_LIMTYPE, D_LQUANT_LIMVAL},
		{"step", 1, UINT16_MAX, D_LQUANT_STEPTYPE, D_LQUANT_STEPVAL},
	};
	int64_t base = action_agg_const(b, call, 1, 0, &params[0]);
	int64_t limit = action_agg_const(b, call, 2, 0, &params[1]), step;

	if (limit < base)
		dt_error(b->cx, &call->loc, D_LQUANT_MISMATCH,
			 "the lower bound of lquantize() is greater than its upper bound");
	step = action_const(b, action_arg(call, 3), 1, D_LQUANT_STEPTYPE,
			    "the step of lquantize()");
	if (step < 1)
		dt_error(b->cx, &action_arg(call, 3)->loc, D_LQUANT_STEPTYPE,
			 "the step of lquantize() must be positive");
	step = action_agg_const(b, call, 3, 1, &params[2]);
	if (step > limit - base)
		dt_error(b->cx, &call->loc, D_LQUANT_STEPLARGE,
			 "the step of lquantize() is larger than its range");
	if ((limit - base) / step > UINT16_MAX)
		dt_error(b->cx, &call->loc, D_LQUANT_STEPSMALL,
			 "lquantize() cannot have more than %d steps", UINT16_MAX);
	return DTRACE_LQUANTIZE_ARG(base, (limit - base) / step, step);
}

/* Return whether factor to the power of exp is less than 2 to the 63. */
static bool action_power_fits(int64_t factor, int64_t exp)
{
	int64_t n = 1;

	while (exp--)
		if (__builtin_mul_overflow(n, factor, &n))
			return false;
	return true;
}

static void action_llquantize_check(dt_build_t *b, const dt_loc_t *loc, const int64_t *v)
{
	int64_t factor = v[0], low = v[1], high = v[2], steps = v[3], power = factor;

	if (factor < 2)
		dt_error(b->cx, loc, D_LLQUANT_FACTORSMALL,
			 "the factor of llquantize() must be at least 2");
	if (low >= high)
		dt_error(b->cx, loc, D_LLQUANT_MAGRANGE,
			 "the low magnitude of llquantize() must be less than its high magnitude");
	if (!action_power_fits(factor, high + 1))
		dt_error(b->cx, loc, D_LLQUANT_MAGTOOBIG,
			 "the factor of llquantize() to the power of %lld does not fit in 63 bits",
			 (long long)high + 1);
	if (steps < factor)
		dt_error(b->cx, loc, D_LLQUANT_FACTORNSTEPS,
			 "the number of steps of llquantize() must be at least its factor");
	while (power < steps)
		power *= factor;
	if (power % steps || steps % factor)
		dt_error(b->cx, loc, D_LLQUANT_FACTOREVEN,
			 "the number of steps of llquantize() must be a multiple of its factor and "
			 "divide a power of it");
}

static uint64_t action_llquantize(dt_build_t *b, const dt_node_t *call)
{
	static const dt_aggparam_t params[] = {
		{"factor", 0, UINT16_MAX, D_LLQUANT_FACTORTYPE, D_LLQUANT_FACTORVAL},
		{"low magnitude", 0, UINT16_MAX, D_LLQUANT_LOWTYPE, D_LLQUANT_LOWVAL},
		{"high magnitude", 0, UINT16_MAX, D_LLQUANT_HIGHTYPE, D_LLQUANT_HIGHVAL},
		{"steps", 0, UINT16_MAX, D_LLQUANT_NSTEPTYPE, D_LLQUANT_NSTEPVAL},
	};
	int64_t v[4];

	for (uint32_t i = 0; i < 4; i++)
		v[i] = action_agg_const(b, call, i + 1, 0, &params[i]);
	action_llquantize_check(b, &call->loc, v);
	return DTRACE_LLQUANTIZE_ARG(v[0], v[1], v[2], v[3]);
}

static uint64_t action_agg_arg(dt_build_t *b, const dt_node_t *call, uint32_t *weight)
{
	switch (call->func->number) {
	case DTRACEAGG_LQUANTIZE:
		*weight = 4;
		return action_lquantize(b, call);
	case DTRACEAGG_LLQUANTIZE:
		*weight = 5;
		return action_llquantize(b, call);
	default:
		*weight = 1;
		return 0;
	}
}

/* Add a hint to write parentheses if the expression is the name of an aggregating function. */
static dt_ctx_t *action_agg_func_hint(dt_ctx_t *cx, const dt_node_t *n)
{
	const dt_ident_t *id =
		n->kind == NODE_IDENT ? ident_lookup(cx, DIFV_SCOPE_GLOBAL, n->str) : NULL;

	return id && id->kind == IDENT_FUNC && id->func->class == FUNC_AGG
		       ? function_hint(cx, id->func)
		       : cx;
}

static dt_node_t *action_agg_func(dt_build_t *b, dt_node_t *n)
{
	dt_ident_t *id =
		n->kind == NODE_CALL ? ident_lookup(b->cx, DIFV_SCOPE_GLOBAL, n->str) : NULL;

	if (n->kind == NODE_CALL && !id)
		check_no_function(b->cx, n);
	if (!id || id->kind != IDENT_FUNC || id->func->class != FUNC_AGG)
		dt_error(action_agg_func_hint(b->cx, n), &n->loc, D_AGG_FUNC,
			 "only an aggregating function can be assigned to an aggregation");
	n->kind = NODE_FUNC;
	n->func = id->func;
	n->type = &type_void;
	n->args = check_list(b->cx, n->args);
	function_check(b->cx, n);
	if (n->args && (check_is_action(n->args) || !type_is_scalar(n->args->type)))
		dt_error(b->cx, &n->args->loc, D_AGG_SCALAR,
			 "%s() needs an integer or a pointer, not %s", n->str,
			 check_type_text(b->cx, n->args->type));
	return n;
}

/*
 * Return the tag for the parameter of lquantize() that has changed. The limit has not changed if it
 * gives as many of the former steps as before.
 */
static dt_tag_t action_lquantize_match(const dt_node_t *call, uint64_t before, uint64_t now)
{
	int64_t base = DTRACE_LQUANTIZE_BASE(now), limit = (int64_t)action_arg(call, 2)->value;

	if (DTRACE_LQUANTIZE_BASE(before) != base)
		return D_LQUANT_MATCHBASE;
	return (limit - base) / DTRACE_LQUANTIZE_STEP(before) == DTRACE_LQUANTIZE_LEVELS(before)
		       ? D_LQUANT_MATCHSTEP
		       : D_LQUANT_MATCHLIM;
}

/* Return the tag for the parameter of an aggregating function that has changed. */
static dt_tag_t action_agg_match(const dt_node_t *call, uint64_t a, uint64_t b)
{
	if (call->func->number == DTRACEAGG_LQUANTIZE)
		return action_lquantize_match(call, a, b);
	if (DTRACE_LLQUANTIZE_FACTOR(a) != DTRACE_LLQUANTIZE_FACTOR(b))
		return D_LLQUANT_FACTORMATCH;
	if (DTRACE_LLQUANTIZE_LOW(a) != DTRACE_LLQUANTIZE_LOW(b))
		return D_LLQUANT_LOWMATCH;
	return DTRACE_LLQUANTIZE_HIGH(a) != DTRACE_LLQUANTIZE_HIGH(b) ? D_LLQUANT_HIGHMATCH
								      : D_LLQUANT_NSTEPMATCH;
}

/* Add a hint with the call by which the aggregation was defined. */
static dt_ctx_t *action_agg_hint(dt_build_t *b, const dt_aggvar_t *agg)
{
	const dt_func_t *f = NULL;
	uint64_t arg = agg->arg;

	do
		f = function_next(f);
	while (f->class != FUNC_AGG || f->number != agg->func);
	if (agg->func == DTRACEAGG_LQUANTIZE)
		return dt_hint(b->cx,
			       "it was lquantize(x, %d, %d, %d) before: write that, or use "
			       "another name",
			       DTRACE_LQUANTIZE_BASE(arg),
			       DTRACE_LQUANTIZE_BASE(arg) +
				       DTRACE_LQUANTIZE_LEVELS(arg) * DTRACE_LQUANTIZE_STEP(arg),
			       DTRACE_LQUANTIZE_STEP(arg));
	if (agg->func == DTRACEAGG_LLQUANTIZE)
		return dt_hint(b->cx,
			       "it was llquantize(x, %d, %d, %d, %d) before: write that, or "
			       "use another name",
			       DTRACE_LLQUANTIZE_FACTOR(arg), DTRACE_LLQUANTIZE_LOW(arg),
			       DTRACE_LLQUANTIZE_HIGH(arg), DTRACE_LLQUANTIZE_NSTEP(arg));
	return dt_hint(b->cx, "it was %s() before: write that, or use another name", f->name);
}

static void action_agg_define(dt_build_t *b, dt_aggvar_t *agg, const dt_node_t *call, uint64_t arg)
{
	if (agg->func && agg->func != call->func->number)
		dt_error(action_agg_hint(b, agg), &b->node->loc, D_AGG_REDEF,
			 "%s has another aggregating function already",
			 ident_agg_text(b->cx, agg->name));
	if (agg->func && agg->arg != arg)
		dt_error(action_agg_hint(b, agg), &call->loc, action_agg_match(call, agg->arg, arg),
			 "%s has other parameters of %s() already",
			 ident_agg_text(b->cx, agg->name), call->func->name);
	agg->func = call->func->number;
	agg->arg = arg;
}

static void action_agg_keys(dt_build_t *b, dt_aggvar_t *agg, dt_node_t *n)
{
	for (dt_node_t *k = n->args = check_list(b->cx, n->args); k; k = k->next)
		if (type_is_dynamic(k->type) || k->kind == NODE_XLATE ||
		    (type_is_void(k->type) && !action_is_special(k)))
			dt_error(b->cx, &k->loc, D_KEY_TYPE, "this value cannot be a key of %s",
				 ident_agg_text(b->cx, agg->name));
	n->args = check_keys(b->cx, n, n->args, &agg->keytypes, &agg->nkeys,
			     ident_agg_text(b->cx, agg->name));
	for (dt_node_t *k = n->args; k; k = k->next) {
		if (action_is_special(k))
			action_add_special(b, k);
		else
			action_add(b, DTRACEACT_DIFEXPR, 0, codegen_difo(b->cx, k));
	}
}

/* Compile @name[keys] = function(value, ..., weight). */
static void action_aggregate(dt_build_t *b, dt_node_t *n)
{
	dt_node_t *call = action_agg_func(b, n->right), *weight;
	dt_aggvar_t *agg = ident_agg(b->cx, n->left->str);
	uint32_t weight_at;
	uint64_t arg = action_agg_arg(b, call, &weight_at);

	if (b->clause->does & DOES_COMMIT)
		action_clash(b, D_AGG_COMM, "no aggregation can follow commit() in a clause");
	action_does_other(b, D_AGG_SPEC, "an aggregation");
	b->clause->does |= DOES_DATA;
	action_stmt(b, DT_STMT_AGG);
	action_add_agg(b, agg);
	action_agg_keys(b, agg, n->left);
	action_agg_define(b, agg, call, arg);
	weight = action_arg(call, weight_at);
	if (weight && (check_is_action(weight) || !type_is_scalar(weight->type)))
		dt_error(function_hint(b->cx, call->func), &weight->loc, D_PROTO_ARG,
			 "the weight of %s() must be an integer, not %s", call->func->name,
			 check_type_text(b->cx, weight->type));
	if (weight)
		action_add(b, DTRACEACT_DIFEXPR, DTRACE_AGG_WEIGHT,
			   action_value(b, weight, &type_long));
	action_add(b, call->func->number, arg,
		   call->args ? action_value(b, call->args, &type_long) : NULL);
	b->stmt->actions[b->stmt->nactions - 1].ntuple = b->stmt->nactions;
}

/* ---- statements ---- */

/*
 * Return whether an expression may fault. A program may intend that: to try an address, or to test
 * its clauses of ERROR.
 */
static bool action_may_fault(const dt_node_t *n)
{
	if (n->kind == NODE_UNARY)
		return n->op == TOK_MUL;
	return n->kind == NODE_BINARY && (n->op == TOK_DIV || n->op == TOK_MOD) &&
	       n->right->kind != NODE_INT;
}

/* Return whether an expression does more than give a value. */
static bool action_has_effect(const dt_node_t *n)
{
	if (!n)
		return false;
	if (n->kind == NODE_ASSIGN || n->kind == NODE_FUNC || action_may_fault(n))
		return true;
	for (const dt_node_t *a = n->args; a; a = a->next)
		if (action_has_effect(a))
			return true;
	if (n->kind == NODE_INLINE && action_has_effect(n->ident->body))
		return true;
	return action_has_effect(n->left) || action_has_effect(n->right) ||
	       action_has_effect(n->third);
}

/* Return whether an expression notes the condition of an if, which is not a result of a helper. */
static bool action_is_guard(const dt_node_t *n)
{
	return n->kind == NODE_ASSIGN && n->left->kind == NODE_VAR &&
	       strncmp(n->left->ident->name, CLAUSE_GUARD, strlen(CLAUSE_GUARD)) == 0;
}

/* Compile a statement of a helper, whose value may be the helper's result. */
static void action_help(dt_build_t *b, dt_node_t *n)
{
	dt_difo_t *difo;

	if (n->kind == NODE_AGG || type_is_record(n->type))
		dt_error(b->cx, &n->loc, D_HELPER_ACT,
			 "a helper can only evaluate integers, pointers and strings");
	difo = type_is_void(n->type) || action_is_guard(n) ? codegen_effect(b->cx, n)
							   : codegen_difo(b->cx, n);
	helper_check(b->cx, &n->loc, difo);
	action_stmt(b, DT_STMT_EXPR);
	action_add(b, DTRACEACT_DIFEXPR, 0, difo);
}

static void action_check_help(dt_build_t *b, const dt_node_t *n)
{
	bool agg = n->kind == NODE_ASSIGN && n->left->kind == NODE_AGG;

	if (b->clause->helper && (agg || check_is_action(n)))
		dt_error(b->cx, &n->loc, D_HELPER_ACT,
			 "a helper has expressions only, not %s: it runs while another program "
			 "records a stack",
			 agg ? "aggregations" : "actions");
}

static void action_expression(dt_build_t *b, dt_node_t *n)
{
	if (b->clause->helper) {
		action_help(b, n);
		return;
	}
	if (n->kind == NODE_AGG)
		dt_error(b->cx, &n->loc, D_AGG_NULL, "%s alone has no effect",
			 ident_agg_text(b->cx, n->str));
	if (!action_has_effect(n) && !(b->flags & NODE_F_CHOSEN))
		dt_error(b->cx, &n->loc, D_EXPR_NULL, "this expression has no effect");
	action_stmt(b, DT_STMT_EXPR);
	action_add(b, DTRACEACT_DIFEXPR, 0, codegen_effect(b->cx, n));
}

void action_compile(dt_ctx_t *cx, dt_clause_t *clause, dt_node_t *expr)
{
	dt_build_t b = {.cx = cx, .clause = clause, .node = expr, .flags = expr->flags};

	action_check_help(&b, expr);
	if (expr->kind == NODE_ASSIGN && expr->left->kind == NODE_AGG && expr->op == TOK_ASSIGN) {
		action_aggregate(&b, expr);
		tree_print(cx, expr, TREE_CHECKED);
		stability_expr(cx, expr, &clause->stmtattr);
		return;
	}
	expr = check_expr(cx, expr);
	b.node = expr;
	tree_print(cx, expr, TREE_CHECKED);
	stability_expr(cx, expr, &clause->stmtattr);
	if (check_is_action(expr) && expr->func->class == FUNC_AGG)
		check_value(cx, expr);
	action_check_help(&b, expr);
	if (check_is_action(expr))
		action_call(&b, expr);
	else
		action_expression(&b, expr);
}
