/* SPDX-License-Identifier: MIT */
/*
 * check.c - gives expressions their types, converts operands, resolves names. Each check_* takes a
 * node whose parts are unchecked and returns the node to use in its place. In the result,
 * conversions are explicit casts, pointer arithmetic is scaled, and compound assignments have the
 * operator on their right side.
 */
#include <string.h>

#include "check.h"
#include "hint.h"
#include "unsupported.h"
#include "kernel.h"

const char *check_type_text(dt_ctx_t *cx, const dt_type_t *t)
{
	char buf[256];

	return arena_strdup(&cx->tmp, dt_type_name(t, buf, sizeof(buf)));
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
		dt_error(dt_hint(cx,
				 n->func->class == FUNC_AGG
					 ? "assign it to an aggregation: @name = %s(%s);"
					 : "make it a statement of its own: %s(%s);",
				 n->func->name, n->func->usage),
			 &n->loc, D_CG_EXPR, "%s() is %s and cannot be part of an expression",
			 n->func->name,
			 n->func->class == FUNC_AGG ? "an aggregating function" : "an action");
	return n;
}

/* Return the type of a pointer of a type to an object. */
static const dt_type_t *check_pointer(dt_ctx_t *cx, const dt_node_t *object,
				      const dt_type_t *target)
{
	const dt_type_t *t = type_pointer(&cx->comp->arena, target);

	return object->flags & NODE_F_PROCESS ? type_in_process(&cx->comp->arena, t) : t;
}

/* Give an object its type. Pointers in memory of the process point to memory of the process. */
static dt_node_t *check_object(dt_ctx_t *cx, dt_node_t *n, const dt_type_t *t, bool in_process)
{
	n->type = in_process ? type_in_process(&cx->comp->arena, t) : t;
	n->flags |= in_process ? NODE_F_PROCESS : 0;
	return n;
}

/* Replace an array by the address of its first element, where a pointer is needed. */
dt_node_t *check_decay(dt_ctx_t *cx, dt_node_t *n)
{
	const dt_type_t *t = type_resolve(n->type);

	return t->kind == TYPE_ARRAY ? ast_cast(cx, n, check_pointer(cx, n, t->base)) : n;
}

dt_node_t *check_copyin(dt_ctx_t *cx, dt_node_t *n, uint64_t size)
{
	dt_node_t *call;

	if (n->flags & NODE_F_PROCESS)
		n = check_decay(cx, n);
	if (!type_is_in_process(n->type))
		return n;
	call = ast_new(cx, NODE_FUNC, &n->loc);
	call->func = ident_lookup(cx, DIFV_SCOPE_GLOBAL, "copyin")->func;
	call->type = call->func->result;
	n->next = ast_int(cx, &n->loc, size, &type_ulong);
	ast_args(cx, call, n);
	return call;
}

void check_operands(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_value(cx, n->left);
	if (n->right)
		n->right = check_value(cx, n->right);
}

const char *check_op(const dt_node_t *n)
{
	return lex_tok_text(n->op);
}

bool check_is_null(const dt_node_t *n)
{
	return n->kind == NODE_INT && n->value == 0;
}

/* ---- conversions ---- */

/* 0 also fits pointers and strings: it is NULL, and the empty string. */
bool check_fits(const dt_type_t *type, const dt_node_t *n)
{
	if (check_is_null(n) && (type_is_string(type) || type_is_pointer(type)))
		return true;
	return type_assignable(type, n->type);
}

/*
 * Report the type of a pointer to memory copied from a process, if the type is a structure of the
 * kernel, and programs have another of that name.
 */
static void check_copied(dt_ctx_t *cx, const dt_loc_t *loc, const dt_type_t *to)
{
	const dt_type_t *t = type_resolve(to);
	const char *instead;

	if (t->kind != TYPE_POINTER)
		return;
	t = type_resolve(t->base);
	instead = t->kind == TYPE_STRUCT && t->name ? unsupported_copy(t->name) : NULL;
	if (instead && t == kernel_type(cx, "", KTYPE_STRUCT, t->name))
		dt_error(dt_hint(cx, "%s", instead), loc, D_CAST_INVAL,
			 "the kernel's struct %s has another layout than that of programs",
			 t->name);
}

/* Return whether n is a call of a subroutine. */
static bool check_is_subroutine(const dt_node_t *n, uint32_t number)
{
	return n->kind == NODE_FUNC && n->func->class == FUNC_SUBR && n->func->number == number;
}

dt_node_t *check_convert(dt_ctx_t *cx, dt_node_t *n, const dt_type_t *type, const char *what)
{
	if (check_is_subroutine(n, DIF_SUBR_COPYIN))
		check_copied(cx, &n->loc, type);
	if (!check_fits(type, n))
		dt_error(hint_convert(cx, n->type, type), &n->loc, D_OP_INCOMPAT,
			 "%s has type %s, which cannot be converted to %s", what,
			 check_type_text(cx, n->type), check_type_text(cx, type));
	return fold(cx, ast_cast(cx, n, type));
}

/* Type of a variable that begins its life with this value. */
const dt_type_t *check_var_type(dt_ctx_t *cx, const dt_node_t *n)
{
	const dt_type_t *t = type_resolve(n->type);

	if (t->kind == TYPE_ARRAY && type_is_stringlike(t))
		return &type_string;
	if (t->kind == TYPE_UNKNOWN)
		return &type_long;
	if (t->kind == TYPE_DYNAMIC)
		dt_error(cx, &n->loc, D_OP_DYN, "a whole array or aggregation cannot be assigned");
	if (t->kind == TYPE_VOID)
		dt_error(dt_hint(cx, "use an expression that has one; actions are statements"),
			 &n->loc, D_OP_INCOMPAT, "an expression of type void has no value");
	if (t->kind == TYPE_FUNCTION || (!t->complete && t->kind != TYPE_STRING))
		dt_error(hint_tag(cx, t), &n->loc, D_OP_INCOMPLETE,
			 "a variable cannot hold a value of type %s", check_type_text(cx, n->type));
	return n->kind == NODE_MEMBER && n->member.bits ? type_promote(n->type) : n->type;
}

static void check_keys_first(dt_ctx_t *cx, dt_node_t *keys, const dt_type_t ***types,
			     uint32_t *ntypes)
{
	uint32_t i = 0;

	*ntypes = ast_count(keys);
	*types = arena_alloc(&cx->comp->arena, (*ntypes + 1) * sizeof(**types));
	for (; keys; keys = keys->next)
		(*types)[i++] =
			check_is_action(keys) ? keys->type : check_var_type(cx, check_text(keys));
}

dt_node_t *check_keys(dt_ctx_t *cx, dt_node_t *at, dt_node_t *keys, const dt_type_t ***types,
		      uint32_t *ntypes, const char *name)
{
	dt_node_t **tail = &keys, *next;
	uint32_t i = 0;

	if (!*types)
		check_keys_first(cx, keys, types, ntypes);
	if (ast_count(keys) != *ntypes)
		dt_error(hint_keys(cx, name, *types, *ntypes), &at->loc, D_PROTO_LEN,
			 "%s has %u key%s, but %u given", name, *ntypes, *ntypes == 1 ? "" : "s",
			 ast_count(keys));
	for (; *tail; tail = &(*tail)->next, i++) {
		const dt_type_t *t = (*types)[i];

		next = (*tail)->next;
		if (!check_fits(t, *tail))
			dt_error(hint_keys(cx, name, *types, *ntypes), &(*tail)->loc, D_PROTO_ARG,
				 "key %u of %s must be of type %s, not %s", i + 1, name,
				 check_type_text(cx, t), check_type_text(cx, (*tail)->type));
		if (!check_is_action(*tail))
			*tail = fold(cx, ast_cast(cx, *tail, t));
		(*tail)->next = next;
	}
	return keys;
}

/* ---- names ---- */

dt_node_t *check_var_node(dt_node_t *n, dt_ident_t *id)
{
	n->kind = NODE_VAR;
	n->ident = id;
	n->type = id->type;
	return n;
}

dt_node_t *check_seen(dt_ctx_t *cx, const dt_ident_t *id, dt_node_t *n)
{
	return id->pointer ? ast_cast(cx, n, id->pointer) : n;
}

dt_node_t *check_text(dt_node_t *n)
{
	return n->kind == NODE_CAST && n->left->kind == NODE_VAR && n->left->ident->pointer
		       ? n->left
		       : n;
}

static const char *check_scoped_name(dt_ctx_t *cx, const dt_node_t *n)
{
	static const char *const prefix[] = {"", "self->", "this->"};

	return arena_printf(&cx->tmp, "%s%s", prefix[n->scope], n->str);
}

static void check_no_variable(dt_ctx_t *cx, const dt_node_t *n) __attribute__((noreturn));

static void check_no_variable(dt_ctx_t *cx, const dt_node_t *n)
{
	const dt_unsupported_t *f = unsupported_name(n->str);

	if (f)
		dt_error(dt_hint(cx, "%s", f->instead), &n->loc, D_IDENT_UNDEF,
			 "%s is not defined: %s", n->str, f->reason);
	dt_error(hint_variable(cx, n->str), &n->loc, D_IDENT_UNDEF, "no variable or type named %s",
		 n->str);
}

dt_ident_t *check_lookup(dt_ctx_t *cx, const dt_node_t *n)
{
	dt_ident_t *id = ident_lookup(cx, n->scope, n->str);

	if (id)
		return id;
	if (n->scope == DIFV_SCOPE_GLOBAL)
		check_no_variable(cx, n);
	dt_error(hint_variable(cx, n->str), &n->loc, D_VAR_UNDEF,
		 "variable %s is neither declared nor assigned", check_scoped_name(cx, n));
}

/* Give curthread the kernel's type. Without the kernel's types it remains a plain address. */
static void check_curthread(dt_ctx_t *cx, dt_ident_t *id)
{
	const dt_type_t *t = type_is_void(id->type->base)
				     ? kernel_type(cx, KERNEL_VMLINUX, KTYPE_STRUCT, "task_struct")
				     : NULL;

	if (t)
		id->type = type_pointer(&cx->comp->arena, t);
}

static dt_node_t *check_ident(dt_ctx_t *cx, dt_node_t *n)
{
	dt_ident_t *id = check_lookup(cx, n);

	if (id->kind == IDENT_BUILTIN && id->id == DIF_VAR_CURTHREAD) {
		if (cx->trying) /* __exists(curthread); elsewhere it matters only if it is read */
			kernel_need(cx, &n->loc, n->str);
		check_curthread(cx, id);
	}

	switch (id->kind) {
	case IDENT_CONST:
		return ast_int(cx, &n->loc, (uint64_t)id->value, id->type);
	case IDENT_INLINE:
		return inline_check(cx, n, id, NULL);
	case IDENT_FUNC:
		dt_error(function_hint(cx, id->func), &n->loc, D_IDENT_BADREF,
			 "%s is a function, not a value", n->str);
	case IDENT_ASSOC:
	case IDENT_BUILTIN_ARRAY:
		dt_error(dt_hint(cx, "name an element, as in %s[%s]", check_scoped_name(cx, n),
				 id->kind == IDENT_ASSOC ? "key" : "0"),
			 &n->loc, D_IDENT_BADREF, "%s is an array and cannot be used as a value",
			 check_scoped_name(cx, n));
	default:
		return check_var_node(n, id);
	}
}

/* ---- calls ---- */

/* Return whether an expression is valid here. Its error is not reported. */
static bool check_means(dt_ctx_t *cx, dt_node_t *n)
{
	dt_reading_t before;
	bool trying = cx->trying;
	jmp_buf fail;
	int rc;

	deferred_mark(cx, &before);
	memcpy(fail, cx->fail, sizeof(fail));
	cx->trying = true;
	rc = setjmp(cx->fail);
	if (rc == 0)
		check_value(cx, n);
	memcpy(cx->fail, fail, sizeof(fail));
	cx->trying = trying;
	if (rc == 2)
		longjmp(cx->fail, rc);
	if (rc)
		deferred_reset(cx, &before);
	return rc == 0;
}

/*
 * Replace __exists(expr) by 1 or 0, so that one D library serves kernels with different types: of a
 * ?: with such a condition, only the chosen side must be valid.
 */
static dt_node_t *check_exists(dt_ctx_t *cx, dt_node_t *n)
{
	dt_node_t *value;

	if (ast_count(n->args) != 1)
		dt_error(dt_hint(cx, "use __exists(expression)"), &n->loc, D_PROTO_LEN,
			 "__exists() takes one expression");
	value = ast_int(cx, &n->loc, check_means(cx, n->args), &type_int);
	value->flags |= NODE_F_EXISTS;
	return value;
}

void check_no_function(dt_ctx_t *cx, const dt_node_t *n)
{
	const dt_unsupported_t *f = unsupported_name(n->str);

	if (f)
		dt_error(dt_hint(cx, "%s", f->instead), &n->loc, D_FUNC_UNDEF,
			 "D has no function %s(): %s", n->str, f->reason);
	dt_error(hint_function(cx, n->str), &n->loc, D_FUNC_UNDEF, "no function named %s()",
		 n->str);
}

static dt_node_t *check_call(dt_ctx_t *cx, dt_node_t *n)
{
	dt_ident_t *id = ident_lookup(cx, DIFV_SCOPE_GLOBAL, n->str);

	if (!id && strcmp(n->str, "__exists") == 0)
		return check_exists(cx, n);
	if (id && id->kind == IDENT_INLINE && id->nparams)
		return inline_check(cx, n, id, n->args);
	if (!id)
		check_no_function(cx, n);
	if (id->kind != IDENT_FUNC)
		dt_error(cx, &n->loc, D_FUNC_IDKIND, "%s is not a function", n->str);
	n->kind = NODE_FUNC;
	n->func = id->func;
	n->type = id->func->result;
	n->args = check_list(cx, n->args);
	function_check(cx, n);
	if (check_is_subroutine(n, DIF_SUBR_COPYINTO))
		check_copied(cx, &n->loc, n->args->next->next->type);
	return n;
}

/* ---- unary operators ---- */

void check_known(dt_ctx_t *cx, const dt_node_t *n)
{
	if (type_resolve(n->type)->kind == TYPE_UNKNOWN)
		dt_error(cx, &n->loc, D_ARGS_TYPE, "type %s is unknown here",
			 check_type_text(cx, n->type));
}

/*
 * Return an argument of probes that do not exist yet. Its value is unknown, so it is an element of
 * args[] that no probe has: a fault, should such a probe fire.
 */
static dt_node_t *check_pending(dt_ctx_t *cx, const dt_node_t *at)
{
	dt_node_t *n = ast_new(cx, NODE_VAR, &at->loc);

	n->ident = ident_lookup(cx, DIFV_SCOPE_GLOBAL, "args");
	n->args = ast_int(cx, &at->loc, DTRACE_USDT_MAXARGS, &type_int);
	n->type = &type_pending;
	return n;
}

/*
 * Return why the type of a pointer is unknown, if the kernel's types are the reason; otherwise "".
 */
static const char *check_why(dt_ctx_t *cx, const dt_node_t *n)
{
	if (n->kind == NODE_UNARY)
		n = n->left;
	return n->kind == NODE_VAR && n->ident->id == DIF_VAR_CURTHREAD ? kernel_why(cx) : "";
}

static dt_ctx_t *check_why_hint(dt_ctx_t *cx, const dt_node_t *n)
{
	return *check_why(cx, n) ? kernel_hint(cx) : cx;
}

/* Add a hint for the use of members of n, which has none. */
static dt_ctx_t *check_members_hint(dt_ctx_t *cx, const dt_node_t *n, const char *member)
{
	const dt_type_t *t = type_resolve(n->type);

	if (t->kind == TYPE_POINTER && type_is_record(t->base))
		return dt_hint(cx, "-> follows a pointer: write ->%s", member);
	return check_why_hint(cx, n);
}

/* Return the definition of a struct that is only declared: a module of the kernel may have it. */
static const dt_type_t *check_defined(dt_ctx_t *cx, const dt_type_t *t)
{
	const dt_type_t *r = type_resolve(t);

	if (r->complete || r->userland || !r->name ||
	    (r->kind != TYPE_STRUCT && r->kind != TYPE_UNION))
		return t;
	r = kernel_type(cx, "", r->kind == TYPE_STRUCT ? KTYPE_STRUCT : KTYPE_UNION, r->name);
	return r ? r : t;
}

/* Add a hint for the dereference of n, which is not a pointer. */
static dt_ctx_t *check_pointer_hint(dt_ctx_t *cx, const dt_node_t *n)
{
	if (n->flags & NODE_F_ARROW && !type_is_record(n->left->type))
		return dt_hint(cx, "cast it to what is there, as in ((struct NAME *)x)->member");
	return cx;
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
	if (type_is_pending(t))
		return check_pending(cx, n->left);
	check_known(cx, n->left);
	if (t->kind == TYPE_STRING && !(n->flags & NODE_F_ARROW)) {
		n->type = &type_char;
		return n;
	}
	if (t->kind != TYPE_POINTER)
		dt_error(check_pointer_hint(cx, n), &n->loc,
			 n->flags & NODE_F_ARROW ? D_OP_PTR : D_DEREF_NONPTR, "%s is not a pointer",
			 check_type_text(cx, n->left->type));
	if (n->flags & NODE_F_ARROW)
		return check_object(cx, n, t->base, t->in_process);
	if (type_is_void(t->base))
		dt_error(check_why_hint(cx, n->left), &n->loc, D_DEREF_VOID,
			 "%s cannot be dereferenced%s", check_type_text(cx, n->left->type),
			 check_why(cx, n->left));
	if (type_resolve(t->base)->kind == TYPE_FUNCTION)
		dt_error(cx, &n->loc, D_DEREF_FUNC,
			 "a pointer to a function cannot be dereferenced");
	if (!type_is_record(t->base) && !type_resolve(t->base)->complete)
		dt_error(hint_tag(cx, t->base), &n->loc, D_OP_INCOMPLETE, "%s is not defined here",
			 check_type_text(cx, t->base));
	return check_object(cx, n, t->base, t->in_process);
}

/* Variables that are handled by their value have no address. */
bool check_has_address(const dt_node_t *n)
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
	if (type_is_pending(n->left->type))
		return n->left;
	if (n->left->kind == NODE_VAR || n->left->kind == NODE_AGG || n->left->kind == NODE_XLATE)
		dt_error(cx, &n->loc, D_ADDROF_VAR, "cannot take the address of a D variable");
	if (!check_has_address(n->left))
		dt_error(cx, &n->loc, D_ADDROF_LVAL,
			 "cannot take the address of a value that is not in memory");
	if (n->left->kind == NODE_MEMBER && n->left->member.bits)
		dt_error(cx, &n->loc, D_ADDROF_BITFIELD, "cannot take the address of a bit-field");
	n->type = check_pointer(cx, n->left, n->left->type);
	return n;
}

static dt_node_t *check_unary(dt_ctx_t *cx, dt_node_t *n)
{
	if (n->op == TOK_MUL)
		return check_deref(cx, n);
	if (n->op == TOK_AND)
		return check_address(cx, n);
	assign_create_read(cx, n->left);
	check_operands(cx, n);
	n->left = check_decay(cx, n->left);
	if (n->op == TOK_NOT) {
		if (!type_is_scalar(n->left->type))
			dt_error(hint_scalar(cx, n->left->type), &n->loc, D_OP_SCALAR,
				 "operator ! needs an integer or a pointer, not %s",
				 check_type_text(cx, n->left->type));
		n->type = &type_int;
		return fold(cx, n);
	}
	if (!type_is_integer(n->left->type))
		dt_error(hint_convert(cx, n->left->type, &type_long), &n->loc,
			 n->op == TOK_TILDE ? D_OP_INT : D_OP_ARITH,
			 "operator %s needs an integer, not %s", check_op(n),
			 check_type_text(cx, n->left->type));
	n->type = type_promote(n->left->type);
	n->left = fold(cx, ast_cast(cx, n->left, n->type));
	return fold(cx, n);
}

/* ---- the rest ---- */

static dt_node_t *check_member(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_value(cx, n->left);
	if (n->left->kind == NODE_XLATE && !type_is_pointer(n->left->type))
		return translator_member(cx, n, n->left);
	if (type_is_pending(n->left->type))
		return check_pending(cx, n->left);
	check_known(cx, n->left);
	if (!type_is_record(n->left->type))
		dt_error(check_members_hint(cx, n->left, n->str), &n->loc, D_OP_SOU,
			 "%s is not a struct or union and has no members%s",
			 check_type_text(cx, n->left->type), check_why(cx, n->left));
	n->left->type = check_defined(cx, n->left->type);
	if (!type_resolve(n->left->type)->complete)
		dt_error(hint_tag(kernel_hint(cx), n->left->type), &n->loc, D_OP_INCOMPLETE,
			 "%s is not defined here, so its members are unknown%s",
			 check_type_text(cx, n->left->type), kernel_why(cx));
	if (!type_member(n->left->type, n->str, &n->member))
		dt_error(hint_member(cx, n->left->type, n->str), &n->loc, D_TYPE_MEMBER,
			 "%s has no member %s", check_type_text(cx, n->left->type), n->str);
	return check_object(cx, n, n->member.type, n->left->flags & NODE_F_PROCESS);
}

static dt_node_t *check_choice(dt_ctx_t *cx, dt_node_t *n)
{
	n = check_decay(cx, check_expr(cx, n));
	if (check_is_action(n))
		dt_error(cx, &n->loc, D_OP_ACT,
			 "%s() has no value and cannot be an operand of ? :", n->func->name);
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
		dt_error(hint_scalar(cx, n->left->type), &n->loc, D_OP_SCALAR,
			 "a condition must be an integer or a pointer, not %s",
			 check_type_text(cx, n->left->type));
	if (type_is_pending(n->right->type))
		n->type = n->third->type;
	else if (type_is_pending(n->third->type))
		n->type = n->right->type;
	else if (type_is_integer(n->right->type) && type_is_integer(n->third->type))
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
		dt_error(hint_both(cx, n->right->type, n->third->type), &n->loc, D_OP_INCOMPAT,
			 "the operands of ? : have incompatible types %s and %s",
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

static dt_ctx_t *check_cast_hint(dt_ctx_t *cx, const dt_type_t *to)
{
	if (!type_is_record(to))
		return cx;
	return dt_hint(cx, "cast to a pointer, as in *(%s *)x", check_type_text(cx, to));
}

static dt_node_t *check_cast(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_value(cx, n->left);
	if (n->op == TOK_STRINGOF && !type_is_stringlike(n->left->type) &&
	    !type_is_scalar(n->left->type))
		dt_error(cx, &n->loc, D_STRINGOF_TYPE, "stringof cannot be applied to %s",
			 check_type_text(cx, n->left->type));
	if (n->left->kind == NODE_XLATE || !check_castable(n->type, n->left->type))
		dt_error(check_cast_hint(cx, n->type), &n->loc, D_CAST_INVAL,
			 "cannot convert a value of type %s to %s",
			 check_type_text(cx, n->left->type), check_type_text(cx, n->type));
	if (check_is_subroutine(n->left, DIF_SUBR_COPYIN))
		check_copied(cx, &n->left->loc, n->type);
	if (type_is_in_process(n->left->type) || n->left->flags & NODE_F_PROCESS)
		n->type = type_in_process(&cx->comp->arena, n->type);
	return fold(cx, n);
}

dt_node_t *check_sizeof_type(dt_ctx_t *cx, const dt_loc_t *loc, const dt_type_t *t)
{
	uint64_t size = type_storage(t);

	if (size == 0 || type_resolve(t)->kind == TYPE_FUNCTION)
		dt_error(type_is_record(t) ? hint_tag(cx, t) : cx, loc, D_SIZEOF_TYPE,
			 "the size of %s is unknown", check_type_text(cx, t));
	return ast_int(cx, loc, size, &type_ulong);
}

static dt_node_t *check_sizeof(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_value(cx, n->left);
	if (n->left->kind == NODE_MEMBER && n->left->member.bits)
		dt_error(cx, &n->loc, D_SIZEOF_BITFIELD, "cannot take the size of a bit-field");
	if (n->left->kind == NODE_STRING)
		return ast_int(cx, &n->loc, n->left->len + 1, &type_ulong);
	return check_sizeof_type(cx, &n->loc, n->left->type);
}

static dt_node_t *check_xlate(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_value(cx, n->left);
	return type_is_pending(n->left->type) ? check_pending(cx, n->left) : n;
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
		return array_check(cx, n);
	case NODE_MEMBER:
		return check_member(cx, n);
	case NODE_CALL:
		return check_call(cx, n);
	case NODE_UNARY:
		return check_unary(cx, n);
	case NODE_BINARY:
		return binary_check(cx, n);
	case NODE_ASSIGN:
		return assign_check(cx, n);
	case NODE_INCDEC:
		return assign_incdec(cx, n);
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
