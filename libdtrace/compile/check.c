/* SPDX-License-Identifier: MIT */
/*
 * check.c - gives expressions their types, converts operands, resolves names. Each check_* takes a
 * node whose parts are unchecked and returns the one to use in its place. What code generation sees
 * afterwards: conversions are explicit casts, pointer arithmetic is scaled, compound assignments
 * have the operator on their right side.
 */
#include <string.h>

#include "compile.h"
#include "foreign.h"
#include "kernel.h"

#define CHECK_NREGS 32 /* more than there are registers; the engine knows which there are */

const char *check_type_text(dt_ctx_t *cx, const dt_type_t *t)
{
	char buf[256];

	return pool_strdup(&cx->tmp, dt_type_name(t, buf, sizeof(buf)));
}

bool check_is_action(const dt_node_t *n)
{
	return n->kind == NODE_FUNC && n->func->class != FUNC_SUBR;
}

dt_node_t *check_list(dt_ctx_t *cx, dt_node_t *list)
{
	dt_node_t **tail = &list, *next;

	for (; *tail; tail = &(*tail)->next) {
		next = (*tail)->next;
		*tail = check_expr(cx, *tail);
		(*tail)->next = next;
	}
	return list;
}

dt_node_t *check_value(dt_ctx_t *cx, dt_node_t *n)
{
	n = check_expr(cx, n);
	if (check_is_action(n))
		dt_error(cx, &n->loc, D_CG_EXPR,
			 "%s( ) is %s: it cannot be part of an expression", n->func->name,
			 n->func->class == FUNC_AGG ? "an aggregating function" : "an action");
	return n;
}

/* An array stands for the address of its first element where a pointer is wanted. */
static dt_node_t *check_decay(dt_ctx_t *cx, dt_node_t *n)
{
	const dt_type_t *t = type_resolve(n->type);

	return t->kind == TYPE_ARRAY ? ast_cast(cx, n, type_pointer(&cx->comp->pool, t->base)) : n;
}

static void check_operands(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_value(cx, n->left);
	if (n->right)
		n->right = check_value(cx, n->right);
}

static const char *check_op(const dt_node_t *n)
{
	return lex_tok_text(n->op);
}

static void check_incompatible(dt_ctx_t *cx, const dt_node_t *n) __attribute__((noreturn));

static void check_incompatible(dt_ctx_t *cx, const dt_node_t *n)
{
	dt_error(cx, &n->loc, D_OP_INCOMPAT, "operator %s does not take %s and %s", check_op(n),
		 check_type_text(cx, n->left->type), check_type_text(cx, n->right->type));
}

static bool check_is_null(const dt_node_t *n)
{
	return n->kind == NODE_INT && n->value == 0;
}

/* ---- conversions ---- */

/* 0 is a pointer to nothing, and a string that is none. */
bool check_fits(const dt_type_t *type, const dt_node_t *n)
{
	if (check_is_null(n) && (type_is_string(type) || type_is_pointer(type)))
		return true;
	return type_assignable(type, n->type);
}

dt_node_t *check_convert(dt_ctx_t *cx, dt_node_t *n, const dt_type_t *type, const char *what)
{
	if (!check_fits(type, n))
		dt_error(cx, &n->loc, D_OP_INCOMPAT, "%s has type %s, which does not convert to %s",
			 what, check_type_text(cx, n->type), check_type_text(cx, type));
	return fold(cx, ast_cast(cx, n, type));
}

/* Type of a variable that begins its life with this value. */
static const dt_type_t *check_var_type(dt_ctx_t *cx, const dt_node_t *n)
{
	const dt_type_t *t = type_resolve(n->type);

	if (t->kind == TYPE_ARRAY && type_is_stringlike(t))
		return &type_string;
	if (t->kind == TYPE_UNKNOWN)
		return &type_long;
	if (t->kind == TYPE_DYNAMIC)
		dt_error(cx, &n->loc, D_OP_DYN, "an array or aggregation cannot be assigned whole");
	if (t->kind == TYPE_VOID)
		dt_error(cx, &n->loc, D_OP_INCOMPAT, "an expression of type void has no value");
	if (t->kind == TYPE_FUNCTION || (!t->complete && t->kind != TYPE_STRING))
		dt_error(cx, &n->loc, D_OP_INCOMPLETE, "a variable cannot hold a value of type %s",
			 check_type_text(cx, n->type));
	return n->kind == NODE_MEMBER && n->member.bits ? type_promote(n->type) : n->type;
}

static void check_keys_first(dt_ctx_t *cx, dt_node_t *keys, const dt_type_t ***types,
			     uint32_t *ntypes)
{
	uint32_t i = 0;

	*ntypes = ast_count(keys);
	*types = pool_alloc(&cx->comp->pool, (*ntypes + 1) * sizeof(**types));
	for (; keys; keys = keys->next)
		(*types)[i++] = check_is_action(keys) ? keys->type : check_var_type(cx, keys);
}

dt_node_t *check_keys(dt_ctx_t *cx, dt_node_t *at, dt_node_t *keys, const dt_type_t ***types,
		      uint32_t *ntypes, const char *name)
{
	dt_node_t **tail = &keys, *next;
	uint32_t i = 0;

	if (!*types)
		check_keys_first(cx, keys, types, ntypes);
	if (ast_count(keys) != *ntypes)
		dt_error(cx, &at->loc, D_PROTO_LEN, "%s has %u key%s, %u given", name, *ntypes,
			 *ntypes == 1 ? "" : "s", ast_count(keys));
	for (; *tail; tail = &(*tail)->next, i++) {
		const dt_type_t *t = (*types)[i];

		next = (*tail)->next;
		if (!check_fits(t, *tail))
			dt_error(cx, &(*tail)->loc, D_PROTO_ARG,
				 "key %u of %s is of type %s, not %s", i + 1, name,
				 check_type_text(cx, t), check_type_text(cx, (*tail)->type));
		if (!check_is_action(*tail))
			*tail = fold(cx, ast_cast(cx, *tail, t));
		(*tail)->next = next;
	}
	return keys;
}

/* ---- names ---- */

static dt_node_t *check_var_node(dt_node_t *n, dt_ident_t *id)
{
	n->kind = NODE_VAR;
	n->ident = id;
	n->type = id->type;
	return n;
}

static const char *check_scoped_name(dt_ctx_t *cx, const dt_node_t *n)
{
	static const char *const prefix[] = {"", "self->", "this->"};

	return pool_printf(&cx->tmp, "%s%s", prefix[n->scope], n->str);
}

static dt_ident_t *check_lookup(dt_ctx_t *cx, const dt_node_t *n)
{
	dt_ident_t *id = ident_lookup(cx, n->scope, n->str);

	if (id)
		return id;
	if (n->scope == DIFV_SCOPE_GLOBAL)
		dt_error(cx, &n->loc, D_IDENT_UNDEF, "%s is not defined: %s", n->str,
			 foreign_reason(n->str) ?: "no variable or type of that name");
	dt_error(cx, &n->loc, D_VAR_UNDEF, "%s has been neither declared nor assigned",
		 check_scoped_name(cx, n));
}

static dt_node_t *check_inline_use(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id, dt_node_t *args)
{
	n->kind = NODE_INLINE;
	n->ident = id;
	n->type = id->type;
	ast_args(cx, n, args);
	ast_deepen(cx, n, id->body);
	return n;
}

/* An inline that stands for a translated object: what is translated is an inline in its place. */
static dt_node_t *check_inline_xlate(dt_ctx_t *cx, dt_node_t *n, const dt_ident_t *id,
				     dt_node_t *args)
{
	dt_ident_t *in = pool_alloc(cx->ast, sizeof(*in));
	dt_node_t *x;

	*in = *id;
	in->body = id->body->left;
	in->type = in->body->type;
	in->text = NULL;
	x = ast_op(cx, NODE_XLATE, TOK_XLATE, &n->loc, check_inline_use(cx, n, in, args), NULL,
		   NULL);
	x->type = id->type;
	return x;
}

static dt_node_t *check_inline(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id, dt_node_t *args)
{
	uint32_t i = 0;
	dt_node_t **tail = &args, *next, *body;

	if (ast_count(args) != id->nparams)
		dt_error(cx, &n->loc, D_PROTO_LEN, "inline %s takes %u argument%s, %u given",
			 id->name, id->nparams, id->nparams == 1 ? "" : "s", ast_count(args));
	body = decl_inline_body(cx, id);
	if (body->kind == NODE_INT) {
		n = ast_int(cx, &n->loc, body->value, id->type);
		n->ident = id;
		return n;
	}
	for (; *tail; tail = &(*tail)->next) {
		next = (*tail)->next;
		*tail = check_value(cx, *tail);
		if (!check_fits(id->params[i]->type, *tail))
			dt_error(cx, &(*tail)->loc, D_PROTO_ARG,
				 "argument %u of %s must be of type %s, not %s", i + 1, id->name,
				 check_type_text(cx, id->params[i]->type),
				 check_type_text(cx, (*tail)->type));
		*tail = check_convert(cx, *tail, id->params[i++]->type, "argument");
		(*tail)->next = next;
	}
	if (body->kind == NODE_XLATE)
		return check_inline_xlate(cx, n, id, args);
	return check_inline_use(cx, n, id, args);
}

/* The type of curthread is the kernel's; without the kernel's types it is a mere address. */
static void check_curthread(dt_ctx_t *cx, dt_ident_t *id)
{
	const dt_type_t *t = type_is_void(id->type->base)
				     ? kernel_type(cx, KERNEL_VMLINUX, KTYPE_STRUCT, "task_struct")
				     : NULL;

	if (t)
		id->type = type_pointer(&cx->comp->pool, t);
}

static dt_node_t *check_ident(dt_ctx_t *cx, dt_node_t *n)
{
	dt_ident_t *id = check_lookup(cx, n);

	if (id->kind == IDENT_BUILTIN && id->id == DIF_VAR_CURTHREAD)
		check_curthread(cx, id);

	switch (id->kind) {
	case IDENT_CONST:
		return ast_int(cx, &n->loc, (uint64_t)id->value, id->type);
	case IDENT_INLINE:
		return check_inline(cx, n, id, NULL);
	case IDENT_FUNC:
		dt_error(cx, &n->loc, D_IDENT_BADREF, "%s is a function: %s( ) calls it", n->str,
			 n->str);
	case IDENT_ASSOC:
	case IDENT_BUILTIN_ARRAY:
		check_var_node(n, id)->type = &type_dynamic;
		return n;
	default:
		return check_var_node(n, id);
	}
}

/* ---- arrays ---- */

/* An argument that is to be translated: its members are those of the translator. */
static dt_node_t *check_translated(dt_ctx_t *cx, dt_node_t *n, const dt_type_t *type)
{
	dt_node_t *x = ast_op(cx, NODE_XLATE, TOK_XLATE, &n->loc, n, NULL, NULL);

	x->type = type;
	return x;
}

static dt_node_t *check_args_array(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id)
{
	const dt_clause_args_t *args;
	const dt_argtype_t *arg;
	uint32_t max;

	if (n->args->kind != NODE_INT)
		dt_error(cx, &n->loc, D_PROTO_ARG,
			 "the index of args[ ] is an integer constant, not %s",
			 check_type_text(cx, n->args->type));
	if (!cx->args)
		dt_error(cx, &n->loc, D_ARGS_NONE, "args[ ] has a meaning in clauses only");
	args = probe_args(cx);
	if (args->multi)
		dt_error(cx, &n->loc, D_ARGS_MULTI,
			 "args[ ] has no meaning here: the probes that %s stands for have different "
			 "arguments",
			 args->probe);
	max = args->known ? args->n : DTRACE_USDT_MAXARGS;
	if (n->args->value >= max)
		dt_error(cx, &n->loc, D_ARGS_IDX, "there is no args[%lld]: %s has %s%u arguments",
			 (long long)n->args->value, args->probe, args->known ? "" : "at most ",
			 max);
	check_var_node(n, id);
	if (!args->known)
		return n;
	arg = &args->args[n->args->value];
	if (arg->untold)
		dt_error(cx, &n->loc, D_ARGS_XLATOR,
			 "there is no translator for args[%lld] of %s from %s to %s",
			 (long long)n->args->value, args->probe, check_type_text(cx, arg->native),
			 check_type_text(cx, arg->type));
	n->type = arg->native ? arg->native : arg->type;
	return arg->native ? check_translated(cx, n, arg->type) : n;
}

static dt_node_t *check_builtin_array(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id)
{
	n->args = check_list(cx, n->args);
	if (ast_count(n->args) != 1)
		dt_error(cx, &n->loc, D_PROTO_LEN, "%s[ ] takes one index, not %u", id->name,
			 ast_count(n->args));
	if (id->id == DIF_VAR_ARGS)
		return check_args_array(cx, n, id);
	if (n->args->kind == NODE_INT && n->args->value >= CHECK_NREGS)
		dt_error(cx, &n->loc, D_REGS_IDX, "%s[ ] has no element %lld: the names are R_...",
			 id->name, (long long)n->args->value);
	if (!type_is_integer(n->args->type))
		dt_error(cx, &n->loc, D_REGS_IDX, "the index of %s[ ] is an integer, not %s",
			 id->name, check_type_text(cx, n->args->type));
	return check_var_node(n, id);
}

/* Keys go by the tuple stack, of which -xtregs may leave only a part to programs. */
static uint32_t check_max_keys(dt_ctx_t *cx)
{
	uint64_t asked = dt_copt(cx->dtp, DT_COPT_TREGS);

	return asked ? (uint32_t)asked : DIF_DTR_NREGS;
}

static dt_node_t *check_assoc(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id)
{
	for (const dt_node_t *k = n->args; k; k = k->next)
		if (check_is_action(k) || type_is_dynamic(k->type) || type_is_void(k->type))
			dt_error(cx, &k->loc, D_KEY_TYPE, "not a value that can be a key of %s[ ]",
				 id->name);
	if (ast_count(n->args) > check_max_keys(cx))
		dt_error(cx, &n->loc, D_PROTO_LEN, "%s[ ] has too many keys: %d at most", id->name,
			 (int)check_max_keys(cx));
	n->args = check_keys(cx, n, n->args, &id->keys, &id->nkeys, id->name);
	return check_var_node(n, id);
}

/* p[i] is *(p + i). A string's elements are its characters. */
static dt_node_t *check_subscript(dt_ctx_t *cx, dt_node_t *n)
{
	dt_node_t *sum;

	if (ast_count(n->args) != 1)
		dt_error(cx, &n->loc, D_ARR_BADREF,
			 "this is no associative array: a subscript is one integer");
	sum = ast_op(cx, NODE_BINARY, TOK_ADD, &n->loc, n->left, n->args, NULL);
	sum->flags |= NODE_F_SUBSCRIPT;
	n->args->next = NULL;
	return check_expr(cx, ast_op(cx, NODE_UNARY, TOK_MUL, &n->loc, sum, NULL, NULL));
}

static dt_node_t *check_index(dt_ctx_t *cx, dt_node_t *n)
{
	dt_ident_t *id;

	if (n->left->kind != NODE_IDENT)
		return check_subscript(cx, n);
	id = check_lookup(cx, n->left);
	n->scope = n->left->scope;
	switch (id->kind) {
	case IDENT_ASSOC:
		n->args = check_list(cx, n->args);
		return check_assoc(cx, n, id);
	case IDENT_BUILTIN_ARRAY:
		return check_builtin_array(cx, n, id);
	case IDENT_INLINE:
		if (id->nparams)
			return check_inline(cx, n, id, n->args);
		return check_subscript(cx, n);
	default:
		return check_subscript(cx, n);
	}
}

/* ---- calls ---- */

/* Is this an expression that means something here? What went wrong is forgotten. */
static bool check_means(dt_ctx_t *cx, dt_node_t *n)
{
	dt_reading_t before;
	jmp_buf fail;
	int rc;

	snippet_mark(cx, &before);
	memcpy(fail, cx->fail, sizeof(fail));
	rc = setjmp(cx->fail);
	if (rc == 0)
		check_value(cx, n);
	memcpy(cx->fail, fail, sizeof(fail));
	if (rc == 2)
		longjmp(cx->fail, rc);
	if (rc)
		snippet_reset(cx, &before);
	return rc == 0;
}

/*
 * __exists(expr): 1 or 0. It is how one library serves kernels with different types: of a ?: with
 * such a condition only the side that is taken need make sense.
 */
static dt_node_t *check_exists(dt_ctx_t *cx, dt_node_t *n)
{
	dt_node_t *value;

	if (ast_count(n->args) != 1)
		dt_error(cx, &n->loc, D_PROTO_LEN, "__exists( ) takes one expression");
	value = ast_int(cx, &n->loc, check_means(cx, n->args), &type_int);
	value->flags |= NODE_F_EXISTS;
	return value;
}

void check_no_function(dt_ctx_t *cx, const dt_node_t *n)
{
	const char *reason = foreign_reason(n->str);

	dt_error(cx, &n->loc, D_FUNC_UNDEF, "%s( ) is no function of D%s%s", n->str,
		 reason ? ": " : "", reason ?: "");
}

static dt_node_t *check_call(dt_ctx_t *cx, dt_node_t *n)
{
	dt_ident_t *id = ident_lookup(cx, DIFV_SCOPE_GLOBAL, n->str);

	if (!id && strcmp(n->str, "__exists") == 0)
		return check_exists(cx, n);
	if (id && id->kind == IDENT_INLINE && id->nparams)
		return check_inline(cx, n, id, n->args);
	if (!id)
		check_no_function(cx, n);
	if (id->kind != IDENT_FUNC)
		dt_error(cx, &n->loc, D_FUNC_IDKIND, "%s is no function: it cannot be called",
			 n->str);
	n->kind = NODE_FUNC;
	n->func = id->func;
	n->type = id->func->result;
	n->args = check_list(cx, n->args);
	function_check(cx, n);
	return n;
}

/* ---- unary operators ---- */

static void check_known(dt_ctx_t *cx, const dt_node_t *n)
{
	if (type_resolve(n->type)->kind == TYPE_UNKNOWN)
		dt_error(cx, &n->loc, D_ARGS_TYPE,
			 "type %s is not known here: cast the value to a type that is",
			 check_type_text(cx, n->type));
}

/* A pointer that would have a type, were it not for the kernel's being unknown. */
static const char *check_why(dt_ctx_t *cx, const dt_node_t *n)
{
	if (n->kind == NODE_UNARY)
		n = n->left;
	return n->kind == NODE_VAR && n->ident->id == DIF_VAR_CURTHREAD ? kernel_why(cx) : "";
}

/* A struct that is only declared may be defined in a module of the kernel. */
static const dt_type_t *check_defined(dt_ctx_t *cx, const dt_type_t *t)
{
	const dt_type_t *r = type_resolve(t);

	if (r->complete || r->userland || !r->name || (r->kind != TYPE_STRUCT && r->kind != TYPE_UNION))
		return t;
	r = kernel_type(cx, "", r->kind == TYPE_STRUCT ? KTYPE_STRUCT : KTYPE_UNION, r->name);
	return r ? r : t;
}

static dt_node_t *check_deref(dt_ctx_t *cx, dt_node_t *n)
{
	const dt_type_t *t;

	n->left = check_decay(cx, check_value(cx, n->left));
	t = type_resolve(n->left->type);
	if (n->left->kind == NODE_XLATE && t->kind == TYPE_POINTER) {
		n->left->type = t->base;
		return n->left;
	}
	check_known(cx, n->left);
	if (t->kind == TYPE_STRING && !(n->flags & NODE_F_ARROW)) {
		n->type = &type_char;
		return n;
	}
	if (t->kind != TYPE_POINTER)
		dt_error(cx, &n->loc, n->flags & NODE_F_ARROW ? D_OP_PTR : D_DEREF_NONPTR,
			 "%s is no pointer: it points to nothing",
			 check_type_text(cx, n->left->type));
	if (n->flags & NODE_F_ARROW) {
		n->type = t->base;
		return n;
	}
	if (type_is_void(t->base))
		dt_error(cx, &n->loc, D_DEREF_VOID, "%s cannot be dereferenced: cast it first%s",
			 check_type_text(cx, n->left->type), check_why(cx, n->left));
	if (type_resolve(t->base)->kind == TYPE_FUNCTION)
		dt_error(cx, &n->loc, D_DEREF_FUNC, "a pointer to a function cannot be dereferenced");
	if (!type_is_record(t->base) && !type_resolve(t->base)->complete)
		dt_error(cx, &n->loc, D_OP_INCOMPLETE, "%s is not defined here",
			 check_type_text(cx, t->base));
	n->type = t->base;
	return n;
}

/* Does a node name a place in memory (and not a variable that is handled by its value)? */
static bool check_has_address(const dt_node_t *n)
{
	if (n->kind == NODE_UNARY && n->op == TOK_MUL)
		return true;
	if (n->kind == NODE_MEMBER)
		return check_has_address(n->left) || type_is_byref(n->left->type);
	return n->kind == NODE_VAR && type_is_byref(n->type) && !type_is_string(n->type);
}

static dt_node_t *check_address(dt_ctx_t *cx, dt_node_t *n)
{
	if (n->left->kind == NODE_SYMBOL)
		return symbol_address(cx, n->left);
	n->left = check_value(cx, n->left);
	if (n->left->kind == NODE_VAR || n->left->kind == NODE_AGG || n->left->kind == NODE_XLATE)
		dt_error(cx, &n->loc, D_ADDROF_VAR,
			 "operator & takes what is in memory: variables of D have no address");
	if (!check_has_address(n->left))
		dt_error(cx, &n->loc, D_ADDROF_LVAL,
			 "operator & takes what is in memory: a value has no address");
	if (n->left->kind == NODE_MEMBER && n->left->member.bits)
		dt_error(cx, &n->loc, D_ADDROF_BITFIELD, "a bit-field has no address");
	n->type = type_pointer(&cx->comp->pool, n->left->type);
	return n;
}

static dt_node_t *check_unary(dt_ctx_t *cx, dt_node_t *n)
{
	if (n->op == TOK_MUL)
		return check_deref(cx, n);
	if (n->op == TOK_AND)
		return check_address(cx, n);
	check_operands(cx, n);
	n->left = check_decay(cx, n->left);
	if (n->op == TOK_NOT) {
		if (!type_is_scalar(n->left->type))
			dt_error(cx, &n->loc, D_OP_SCALAR,
				 "operator ! takes an integer or pointer, not %s",
				 check_type_text(cx, n->left->type));
		n->type = &type_int;
		return fold(cx, n);
	}
	if (!type_is_integer(n->left->type))
		dt_error(cx, &n->loc, n->op == TOK_TILDE ? D_OP_INT : D_OP_ARITH,
			 "operator %s takes an integer, not %s", check_op(n),
			 check_type_text(cx, n->left->type));
	n->type = type_promote(n->left->type);
	n->left = fold(cx, ast_cast(cx, n->left, n->type));
	return fold(cx, n);
}

/* ---- binary operators ---- */

static void check_balance(dt_ctx_t *cx, dt_node_t *n)
{
	const dt_type_t *t = type_balance(n->left->type, n->right->type);

	n->left = fold(cx, ast_cast(cx, n->left, t));
	n->right = fold(cx, ast_cast(cx, n->right, t));
	n->type = t;
}

static dt_node_t *check_logical(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_decay(cx, n->left);
	n->right = check_decay(cx, n->right);
	if (!type_is_scalar(n->left->type) || !type_is_scalar(n->right->type))
		dt_error(cx, &n->loc, D_OP_SCALAR, "operator %s takes integers or pointers, not %s",
			 check_op(n),
			 check_type_text(cx, type_is_scalar(n->left->type) ? n->right->type
									   : n->left->type));
	n->type = &type_int;
	return fold(cx, n);
}

static dt_node_t *check_string_compare(dt_ctx_t *cx, dt_node_t *n)
{
	if ((check_is_null(n->left) && type_is_stringlike(n->right->type)) ||
	    (check_is_null(n->right) && type_is_stringlike(n->left->type))) {
		n->left = ast_cast(cx, n->left, &type_void_ptr);
		n->right = ast_cast(cx, n->right, &type_void_ptr);
	} else if (!type_is_stringlike(n->left->type) || !type_is_stringlike(n->right->type)) {
		check_incompatible(cx, n);
	} else {
		n->left = ast_cast(cx, n->left, &type_string);
		n->right = ast_cast(cx, n->right, &type_string);
	}
	n->type = &type_int;
	return n;
}

static dt_node_t *check_compare(dt_ctx_t *cx, dt_node_t *n)
{
	if (type_is_string(n->left->type) || type_is_string(n->right->type))
		return check_string_compare(cx, n);
	n->left = check_decay(cx, n->left);
	n->right = check_decay(cx, n->right);
	if (!type_is_scalar(n->left->type) || !type_is_scalar(n->right->type))
		check_incompatible(cx, n);
	if (type_is_pointer(n->left->type) || type_is_pointer(n->right->type)) {
		if (!check_is_null(n->left) && !check_is_null(n->right) &&
		    !type_assignable(n->left->type, n->right->type))
			check_incompatible(cx, n);
	} else {
		check_balance(cx, n);
	}
	n->type = &type_int;
	return fold(cx, n);
}

static uint64_t check_target_size(dt_ctx_t *cx, const dt_node_t *n, const dt_type_t *pointer)
{
	const dt_type_t *t = type_resolve(type_resolve(pointer)->base);

	if (t->kind == TYPE_VOID || t->kind == TYPE_FUNCTION)
		dt_error(cx, &n->loc, D_OP_VFPTR, "operator %s cannot be applied to %s: cast it",
			 check_op(n), check_type_text(cx, pointer));
	if (!t->complete || type_room(t) == 0)
		dt_error(cx, &n->loc, D_OP_INCOMPLETE,
			 "operator %s needs the size of %s, which is not defined", check_op(n),
			 check_type_text(cx, t));
	return type_room(t);
}

/* index * size of what the pointer points to */
static dt_node_t *check_scale(dt_ctx_t *cx, const dt_node_t *n, dt_node_t *index,
			      const dt_type_t *pointer)
{
	uint64_t size = check_target_size(cx, n, pointer);
	dt_node_t *mul;

	index = fold(cx, ast_cast(cx, index, &type_long));
	if (size == 1)
		return index;
	mul = ast_op(cx, NODE_BINARY, TOK_MUL, &n->loc, index,
		     ast_int(cx, &n->loc, size, &type_long), NULL);
	mul->type = &type_long;
	return fold(cx, mul);
}

static dt_node_t *check_pointer_difference(dt_ctx_t *cx, dt_node_t *n)
{
	uint64_t size = check_target_size(cx, n, n->left->type);
	dt_node_t *div;

	if (!type_assignable(n->left->type, n->right->type))
		check_incompatible(cx, n);
	n->type = &type_long;
	if (size == 1)
		return n;
	div = ast_op(cx, NODE_BINARY, TOK_DIV, &n->loc, n, ast_int(cx, &n->loc, size, &type_long),
		     NULL);
	div->type = &type_long;
	return div;
}

static dt_node_t *check_pointer_sum(dt_ctx_t *cx, dt_node_t *n)
{
	dt_node_t *t;

	if (type_is_pointer(n->left->type) && type_is_pointer(n->right->type)) {
		if (n->op == TOK_SUB)
			return check_pointer_difference(cx, n);
		check_incompatible(cx, n);
	}
	if (type_is_pointer(n->right->type) && n->op == TOK_ADD) {
		t = n->left;
		n->left = n->right;
		n->right = t;
	}
	if (!type_is_pointer(n->left->type) || !type_is_integer(n->right->type))
		check_incompatible(cx, n);
	n->type = n->left->type;
	n->right = check_scale(cx, n, n->right, n->left->type);
	return fold(cx, n);
}

/* Strings: + joins them; with a subscript the sum is an address. */
static dt_node_t *check_string_sum(dt_ctx_t *cx, dt_node_t *n)
{
	dt_node_t *call;

	if (n->flags & NODE_F_SUBSCRIPT) {
		n->left = ast_cast(cx, n->left, type_pointer(&cx->comp->pool, &type_char));
		return check_pointer_sum(cx, n);
	}
	if (!type_is_stringlike(n->left->type) || !type_is_stringlike(n->right->type) ||
	    n->op != TOK_ADD)
		check_incompatible(cx, n);
	call = ast_new(cx, NODE_FUNC, &n->loc);
	call->func = ident_lookup(cx, DIFV_SCOPE_GLOBAL, "strjoin")->func;
	call->type = &type_string;
	n->left->next = n->right;
	n->right->next = NULL;
	ast_args(cx, call, n->left);
	return call;
}

static dt_node_t *check_sum(dt_ctx_t *cx, dt_node_t *n)
{
	if (type_is_string(n->left->type) || type_is_string(n->right->type))
		return check_string_sum(cx, n);
	n->left = check_decay(cx, n->left);
	n->right = check_decay(cx, n->right);
	if (n->flags & NODE_F_SUBSCRIPT)
		check_known(cx, n->left);
	if (type_is_pointer(n->left->type) || type_is_pointer(n->right->type))
		return check_pointer_sum(cx, n);
	if (!type_is_integer(n->left->type) || !type_is_integer(n->right->type))
		check_incompatible(cx, n);
	check_balance(cx, n);
	return fold(cx, n);
}

static dt_node_t *check_arith(dt_ctx_t *cx, dt_node_t *n)
{
	bool shift = n->op == TOK_SHL || n->op == TOK_SHR;

	if (!type_is_integer(n->left->type) || !type_is_integer(n->right->type))
		dt_error(cx, &n->loc,
			 n->op == TOK_MUL || n->op == TOK_DIV ? D_OP_ARITH : D_OP_INT,
			 "operator %s takes integers, not %s", check_op(n),
			 check_type_text(cx, type_is_integer(n->left->type) ? n->right->type
									    : n->left->type));
	if (!shift) {
		check_balance(cx, n);
		return fold(cx, n);
	}
	n->type = type_promote(n->left->type);
	n->left = fold(cx, ast_cast(cx, n->left, n->type));
	return fold(cx, n);
}

static dt_node_t *check_comma(dt_ctx_t *cx, dt_node_t *n)
{
	check_operands(cx, n);
	if (type_is_dynamic(n->left->type) || type_is_dynamic(n->right->type))
		dt_error(cx, &n->loc, D_OP_DYN,
			 "an array or aggregation is not a value: name an element");
	n->type = n->right->type;
	return n;
}

static dt_node_t *check_binary(dt_ctx_t *cx, dt_node_t *n)
{
	if (n->op == TOK_COMMA)
		return check_comma(cx, n);
	check_operands(cx, n);
	switch (n->op) {
	case TOK_LAND:
	case TOK_LOR:
	case TOK_LXOR:
		return check_logical(cx, n);
	case TOK_EQ:
	case TOK_NE:
	case TOK_LT:
	case TOK_LE:
	case TOK_GT:
	case TOK_GE:
		return check_compare(cx, n);
	case TOK_ADD:
	case TOK_SUB:
		return check_sum(cx, n);
	default:
		return check_arith(cx, n);
	}
}

/* ---- assignments ---- */

/* The variable that an assignment to an unknown name makes. */
static void check_create_scalar(dt_ctx_t *cx, const dt_node_t *n, const dt_type_t *t)
{
	ident_number(cx, ident_declare(cx, n->scope, n->str, IDENT_VAR, t), &n->loc);
}

static void check_create_assoc(dt_ctx_t *cx, const dt_node_t *n, const dt_type_t *t)
{
	if (n->left->scope == DIFV_SCOPE_LOCAL)
		dt_error(cx, &n->loc, D_ARR_LOCAL,
			 "this->%s: associative arrays cannot be clause-local", n->left->str);
	ident_number(cx, ident_declare(cx, n->left->scope, n->left->str, IDENT_ASSOC, t), &n->loc);
}

static void check_create(dt_ctx_t *cx, const dt_node_t *n, const dt_type_t *t)
{
	if (n->kind == NODE_IDENT && !ident_lookup(cx, n->scope, n->str))
		check_create_scalar(cx, n, t);
	if (n->kind == NODE_INDEX && n->left->kind == NODE_IDENT &&
	    !ident_lookup(cx, n->left->scope, n->left->str))
		check_create_assoc(cx, n, t);
}

static bool check_names_unknown(dt_ctx_t *cx, const dt_node_t *n)
{
	if (n->kind == NODE_INDEX)
		n = n->left;
	return n->kind == NODE_IDENT && !ident_lookup(cx, n->scope, n->str);
}

static bool check_is_string_element(const dt_node_t *n)
{
	return n->kind == NODE_UNARY && n->left->flags & NODE_F_SUBSCRIPT &&
	       n->left->kind == NODE_BINARY && n->left->left->kind == NODE_CAST &&
	       type_is_string(n->left->left->left->type);
}

static void check_writable(dt_ctx_t *cx, const dt_node_t *at, const dt_node_t *n)
{
	if (n->kind == NODE_VAR) {
		if (n->ident->kind != IDENT_VAR && n->ident->kind != IDENT_ASSOC)
			dt_error(cx, &at->loc, D_OP_WRITE, "operator %s cannot change %s",
				 check_op(at), n->ident->name);
		return;
	}
	if (n->flags & NODE_F_SYMBOL)
		dt_error(cx, &at->loc, D_OP_WRITE, "operator %s cannot change the kernel's memory",
			 check_op(at));
	if (!check_has_address(n) || check_is_string_element(n))
		dt_error(cx, &at->loc, D_OP_LVAL, "operator %s needs a variable to change",
			 check_op(at));
	if (!type_is_scalar(n->type) && type_resolve(n->type)->kind != TYPE_FLOAT &&
	    !type_is_string(n->type) &&
	    !(type_is_record(n->type) && type_resolve(n->type)->complete))
		dt_error(cx, &at->loc, D_OP_INCOMPAT,
			 "operator %s cannot change an object of type %s", check_op(at),
			 check_type_text(cx, n->type));
}

/* A stand-in for the value that the left side has before the assignment. */
static dt_node_t *check_old_value(dt_ctx_t *cx, dt_node_t *n)
{
	dt_node_t *old = ast_new(cx, NODE_VAR, &n->loc);
	dt_ident_t *id = pool_alloc(cx->ast, sizeof(*id));

	id->kind = IDENT_PARAM;
	id->name = "";
	id->type = n->left->type;
	n->ident = id;
	return check_var_node(old, id);
}

static dt_tok_t check_plain_op(dt_tok_t op)
{
	static const dt_tok_t ops[] = {TOK_MUL, TOK_DIV, TOK_MOD, TOK_ADD, TOK_SUB,
				       TOK_SHL, TOK_SHR, TOK_AND, TOK_XOR, TOK_OR};

	return op == TOK_INC ? TOK_ADD : op == TOK_DEC ? TOK_SUB : ops[op - TOK_MUL_EQ];
}

/* left op= right and ++ -- become left = old op right. */
static dt_node_t *check_compound(dt_ctx_t *cx, dt_node_t *n, dt_node_t *right)
{
	right = ast_op(cx, NODE_BINARY, check_plain_op(n->op), &n->loc, check_old_value(cx, n),
		       right, NULL);
	n->right = check_convert(cx, check_expr(cx, right), n->left->type, "result");
	check_writable(cx, n, n->left);
	n->type = n->left->type;
	n->kind = NODE_ASSIGN;
	return n;
}

static void check_no_array(dt_ctx_t *cx, const dt_node_t *n)
{
	dt_type_kind_t kind = type_resolve(n->left->type)->kind;

	if (kind == TYPE_ARRAY || kind == TYPE_FUNCTION)
		dt_error(cx, &n->loc, D_OP_ARRFUN,
			 "operator %s cannot be applied to %s: assign its elements", check_op(n),
			 check_type_text(cx, n->left->type));
}

static dt_node_t *check_assign(dt_ctx_t *cx, dt_node_t *n)
{
	if (n->op != TOK_ASSIGN) {
		if (check_names_unknown(cx, n->left))
			check_create(cx, n->left, &type_long);
		n->left = check_value(cx, n->left);
		return check_compound(cx, n, n->right);
	}
	n->right = check_value(cx, n->right);
	check_create(cx, n->left,
		     check_names_unknown(cx, n->left) ? check_var_type(cx, n->right) : NULL);
	n->left = check_value(cx, n->left);
	check_no_array(cx, n);
	n->right = check_convert(cx, n->right, n->left->type, "value");
	check_writable(cx, n, n->left);
	n->type = n->left->type;
	return n;
}

static dt_node_t *check_incdec(dt_ctx_t *cx, dt_node_t *n)
{
	if (check_names_unknown(cx, n->left))
		check_create(cx, n->left, &type_long);
	n->left = check_value(cx, n->left);
	if (!type_is_scalar(n->left->type))
		dt_error(cx, &n->loc, D_OP_SCALAR,
			 "operator %s takes an integer or pointer, not %s", check_op(n),
			 check_type_text(cx, n->left->type));
	return check_compound(cx, n, ast_int(cx, &n->loc, 1, &type_int));
}

/* ---- the rest ---- */

static dt_node_t *check_member(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_value(cx, n->left);
	if (n->left->kind == NODE_XLATE && !type_is_pointer(n->left->type))
		return translator_member(cx, n, n->left);
	check_known(cx, n->left);
	if (!type_is_record(n->left->type))
		dt_error(cx, &n->loc, D_OP_SOU, "%s is neither struct nor union: it has no members%s",
			 check_type_text(cx, n->left->type), check_why(cx, n->left));
	n->left->type = check_defined(cx, n->left->type);
	if (!type_resolve(n->left->type)->complete)
		dt_error(cx, &n->loc, D_OP_INCOMPLETE,
			 "%s is not defined here: its members are not known%s",
			 check_type_text(cx, n->left->type), kernel_why(cx));
	if (!type_member(n->left->type, n->str, &n->member))
		dt_error(cx, &n->loc, D_TYPE_MEMBER, "%s has no member %s",
			 check_type_text(cx, n->left->type), n->str);
	n->type = n->member.type;
	return n;
}

static dt_node_t *check_choice(dt_ctx_t *cx, dt_node_t *n)
{
	n = check_decay(cx, check_expr(cx, n));
	if (check_is_action(n))
		dt_error(cx, &n->loc, D_OP_ACT,
			 "%s( ) cannot be a value of ? : since it has none; use if and else",
			 n->func->name);
	return n;
}

static dt_node_t *check_cond(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_decay(cx, check_value(cx, n->left));
	if (n->left->flags & NODE_F_EXISTS)
		return check_value(cx, n->left->value ? n->right : n->third);
	n->right = check_choice(cx, n->right);
	n->third = check_choice(cx, n->third);
	if (!type_is_scalar(n->left->type))
		dt_error(cx, &n->loc, D_OP_SCALAR,
			 "a condition must be an integer or pointer, not %s",
			 check_type_text(cx, n->left->type));
	if (type_is_integer(n->right->type) && type_is_integer(n->third->type))
		n->type = type_balance(n->right->type, n->third->type);
	else if (type_is_pointer(n->third->type) && check_is_null(n->right))
		n->type = n->third->type;
	else if (type_is_pointer(n->right->type) && check_is_null(n->third))
		n->type = n->right->type;
	else if (type_is_string(n->third->type) &&
		 (type_is_stringlike(n->right->type) || check_is_null(n->right)))
		n->type = n->third->type;
	else if (type_is_string(n->right->type) && check_is_null(n->third))
		n->type = n->right->type;
	else if (type_assignable(n->right->type, n->third->type) &&
		 !type_is_integer(n->right->type))
		n->type = n->right->type;
	else
		dt_error(cx, &n->loc, D_OP_INCOMPAT,
			 "the values of ? : have types %s and %s, which do not go together",
			 check_type_text(cx, n->right->type), check_type_text(cx, n->third->type));
	n->right = fold(cx, ast_cast(cx, n->right, n->type));
	n->third = fold(cx, ast_cast(cx, n->third, n->type));
	return fold(cx, n);
}

static bool check_castable(const dt_type_t *to, const dt_type_t *from)
{
	if (type_is_void(to))
		return !type_is_dynamic(from);
	if (type_is_string(to))
		return type_is_stringlike(from) || type_is_scalar(from);
	if (type_is_record(to) || type_is_record(from))
		return type_same(to, from);
	if (!type_resolve(to)->complete)
		return false;
	return type_is_scalar(to) && (type_is_scalar(from) || type_is_byref(from));
}

static dt_node_t *check_cast(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_value(cx, n->left);
	if (n->op == TOK_STRINGOF && !type_is_stringlike(n->left->type) &&
	    !type_is_scalar(n->left->type))
		dt_error(cx, &n->loc, D_STRINGOF_TYPE, "stringof cannot be applied to %s",
			 check_type_text(cx, n->left->type));
	if (n->left->kind == NODE_XLATE || !check_castable(n->type, n->left->type))
		dt_error(cx, &n->loc, D_CAST_INVAL, "a value of type %s cannot be converted to %s",
			 check_type_text(cx, n->left->type), check_type_text(cx, n->type));
	return fold(cx, n);
}

dt_node_t *check_sizeof_type(dt_ctx_t *cx, const dt_loc_t *loc, const dt_type_t *t)
{
	uint64_t size = type_room(t);

	if (size == 0 || type_resolve(t)->kind == TYPE_FUNCTION)
		dt_error(cx, loc, D_SIZEOF_TYPE, "size of %s is not known", check_type_text(cx, t));
	return ast_int(cx, loc, size, &type_ulong);
}

static dt_node_t *check_sizeof(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_value(cx, n->left);
	if (n->left->kind == NODE_MEMBER && n->left->member.bits)
		dt_error(cx, &n->loc, D_SIZEOF_BITFIELD,
			 "size of a bit-field is not a number of bytes");
	if (n->left->kind == NODE_STRING)
		return ast_int(cx, &n->loc, n->left->len + 1, &type_ulong);
	return check_sizeof_type(cx, &n->loc, n->left->type);
}

static dt_node_t *check_xlate(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_value(cx, n->left);
	return n;
}

dt_node_t *check_expr(dt_ctx_t *cx, dt_node_t *n)
{
	switch (n->kind) {
	case NODE_STRING:
		n->type = &type_string;
		return n;
	case NODE_AGG:
		n->type = &type_dynamic;
		return n;
	case NODE_IDENT:
		return check_ident(cx, n);
	case NODE_SYMBOL:
		return symbol_check(cx, n);
	case NODE_INDEX:
		return check_index(cx, n);
	case NODE_MEMBER:
		return check_member(cx, n);
	case NODE_CALL:
		return check_call(cx, n);
	case NODE_UNARY:
		return check_unary(cx, n);
	case NODE_BINARY:
		return check_binary(cx, n);
	case NODE_ASSIGN:
		return check_assign(cx, n);
	case NODE_INCDEC:
		return check_incdec(cx, n);
	case NODE_COND:
		return check_cond(cx, n);
	case NODE_CAST:
		return check_cast(cx, n);
	case NODE_SIZEOF:
		return check_sizeof(cx, n);
	case NODE_XLATE:
		return check_xlate(cx, n);
	default:
		return n;
	}
}
