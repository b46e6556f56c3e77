/* SPDX-License-Identifier: MIT */
/* array.c - subscripts of associative and built-in arrays, of pointers and of strings. */
#include <string.h>

#include "check.h"
#include "kernel.h"

#define ARRAY_NREGS 32 /* more than there are registers; the engine knows which there are */
/*
 * Registers of x86 that have names, but whose values the kernel does not keep: they are 0 (regs.d).
 */
#define ARRAY_REG_UNKEPT     23
#define ARRAY_REG_UNKEPT_END 29

/* Make the node of an argument that a translator describes: its members are the translator's. */
static dt_node_t *array_translated(dt_ctx_t *cx, dt_node_t *n, const dt_type_t *type)
{
	dt_node_t *x = ast_op(cx, NODE_XLATE, TOK_XLATE, &n->loc, n, NULL, NULL);

	x->type = type;
	return x;
}

static dt_ctx_t *array_args_hint(dt_ctx_t *cx, const dt_clause_args_t *args)
{
	if (!args->known)
		return cx;
	if (args->n == 0)
		return dt_hint(cx, "do not use args[] here: the probe passes no arguments");
	return dt_hint(cx, args->n == 1 ? "use args[0]" : "use args[0] to args[%u]", args->n - 1);
}

/* Add a hint for probes with different arguments: a system call has one probe for each width. */
static dt_ctx_t *array_multi_hint(dt_ctx_t *cx, const dt_clause_args_t *args)
{
	static const char calls[] = "syscall::";

	if (strncmp(args->probe, calls, strlen(calls)) != 0 || strpbrk(args->probe, "*?["))
		return cx;
	return dt_hint(cx, "name the module, as in syscall:linux:%s, or linux32; or use argN",
		       args->probe + strlen(calls));
}

static dt_node_t *array_args(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id)
{
	const dt_clause_args_t *args;
	const dt_argtype_t *arg;
	uint32_t max;

	if (n->args->kind != NODE_INT)
		dt_error(dt_hint(cx, "write args[0], args[1] ..."), &n->loc, D_PROTO_ARG,
			 "the index of args[] must be an integer constant, not %s",
			 check_type_text(cx, n->args->type));
	if (!cx->args)
		dt_error(cx, &n->loc, D_ARGS_NONE, "args[] can only be used in a clause");
	args = probe_args(cx);
	if (args->multi)
		dt_error(array_multi_hint(cx, args), &n->loc, D_ARGS_MULTI,
			 "args[] cannot be used here: the probes that match %s have different "
			 "arguments",
			 args->probe);
	max = args->known ? args->n : DTRACE_USDT_MAXARGS;
	if (n->args->value >= max)
		dt_error(array_args_hint(cx, args), &n->loc, D_ARGS_IDX,
			 "no args[%lld]: %s has %s%u arguments", (long long)n->args->value,
			 args->probe, args->known ? "" : "at most ", max);
	check_var_node(n, id);
	if (!args->known) {
		n->type = &type_pending;
		return n;
	}
	arg = &args->args[n->args->value];
	if (arg->untyped && n->args->value < DTRACE_MAXARGS)
		dt_error(dt_hint(cx, "use arg%lld, an integer; %s has %u of them",
				 (long long)n->args->value, args->probe, args->n),
			 &n->loc, D_ARGS_TYPE, "the argument types of %s are unknown", args->probe);
	if (arg->untold)
		dt_error(cx, &n->loc, D_ARGS_XLATOR,
			 "no translator for args[%lld] of %s from %s to %s",
			 (long long)n->args->value, args->probe, check_type_text(cx, arg->native),
			 check_type_text(cx, arg->type));
	n->type = arg->native ? arg->native : arg->type;
	return arg->native ? array_translated(cx, n, arg->type) : n;
}

static dt_node_t *array_builtin(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id)
{
	n->args = check_list(cx, n->args);
	if (ast_count(n->args) != 1)
		dt_error(dt_hint(cx, "write %s[%s]", id->name,
				 id->id == DIF_VAR_ARGS ? "0" : "R_SP"),
			 &n->loc, D_PROTO_LEN, "%s[] takes one index, not %u", id->name,
			 ast_count(n->args));
	if (id->id == DIF_VAR_ARGS)
		return array_args(cx, n, id);
	if (n->args->kind == NODE_INT && n->args->value >= ARRAY_NREGS)
		dt_error(cx, &n->loc, D_REGS_IDX, "%s[] has no element %lld", id->name,
			 (long long)n->args->value);
	if (n->args->kind == NODE_INT && n->args->value >= ARRAY_REG_UNKEPT &&
	    n->args->value < ARRAY_REG_UNKEPT_END)
		return ast_int(cx, &n->loc, 0, id->type);
	if (!type_is_integer(n->args->type))
		dt_error(cx, &n->loc, D_REGS_IDX, "the index of %s[] must be an integer, not %s",
			 id->name, check_type_text(cx, n->args->type));
	return check_var_node(n, id);
}

/*
 * Return the largest number of keys. Keys are passed in the tuple stack, of which option tregs may
 * leave only a part to programs.
 */
static uint32_t array_max_keys(dt_ctx_t *cx)
{
	uint64_t asked = dt_copt(cx->dtp, DT_COPT_TREGS);

	return asked ? (uint32_t)asked : DIF_DTR_NREGS;
}

static dt_node_t *array_assoc(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id)
{
	for (const dt_node_t *k = n->args; k; k = k->next)
		if (check_is_action(k) || type_is_dynamic(k->type) || type_is_void(k->type))
			dt_error(cx, &k->loc, D_KEY_TYPE, "this value cannot be a key of %s[]",
				 id->name);
	if (ast_count(n->args) > array_max_keys(cx))
		dt_error(dt_hint(cx, "make one key of several, as in strjoin(a, b)%s",
				 dt_copt(cx->dtp, DT_COPT_TREGS) ? ", or raise -x tregs" : ""),
			 &n->loc, D_PROTO_LEN, "%s[] has too many keys: at most %d", id->name,
			 (int)array_max_keys(cx));
	n->args = check_keys(cx, n, n->args, &id->keys, &id->nkeys, id->name);
	return check_seen(cx, id, check_var_node(n, id));
}

/* Make p[i] the expression *(p + i). The elements of a string are its characters. */
static dt_node_t *array_subscript(dt_ctx_t *cx, dt_node_t *n)
{
	dt_node_t *sum;

	if (ast_count(n->args) != 1)
		dt_error(cx, &n->loc, D_ARR_BADREF,
			 "this is not an associative array: it takes one integer as a subscript");
	sum = ast_op(cx, NODE_BINARY, TOK_ADD, &n->loc, n->left, n->args, NULL);
	sum->flags |= NODE_F_SUBSCRIPT;
	n->args->next = NULL;
	return check_expr(cx, ast_op(cx, NODE_UNARY, TOK_MUL, &n->loc, sum, NULL, NULL));
}

dt_node_t *array_check(dt_ctx_t *cx, dt_node_t *n)
{
	dt_ident_t *id;

	id = symbol_array(cx, n->left);
	if (id)
		return inline_check(cx, n, id, n->args);
	if (n->left->kind != NODE_IDENT)
		return array_subscript(cx, n);
	id = check_lookup(cx, n->left);
	n->scope = n->left->scope;
	switch (id->kind) {
	case IDENT_ASSOC:
		n->args = check_list(cx, n->args);
		return array_assoc(cx, n, id);
	case IDENT_BUILTIN_ARRAY:
		return array_builtin(cx, n, id);
	case IDENT_INLINE:
		if (id->nparams)
			return inline_check(cx, n, id, n->args);
		return array_subscript(cx, n);
	default:
		return array_subscript(cx, n);
	}
}
