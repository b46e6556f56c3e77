/* SPDX-License-Identifier: MIT */
/* binary.c - operators of two operands. */
#include "check.h"
#include "hint.h"

static void binary_incompatible(dt_ctx_t *cx, const dt_node_t *n) __attribute__((noreturn));

static void binary_incompatible(dt_ctx_t *cx, const dt_node_t *n)
{
	dt_error(hint_both(cx, n->left->type, n->right->type), &n->loc, D_OP_INCOMPAT,
		 "operator %s cannot be applied to %s and %s", check_op(n),
		 check_type_text(cx, n->left->type), check_type_text(cx, n->right->type));
}

/* Report an operand that the operator does not take. */
static void binary_unfit(dt_ctx_t *cx, const dt_node_t *n, bool (*fits)(const dt_type_t *),
			 dt_tag_t tag, const char *what) __attribute__((noreturn));

static void binary_unfit(dt_ctx_t *cx, const dt_node_t *n, bool (*fits)(const dt_type_t *),
			 dt_tag_t tag, const char *what)
{
	const dt_type_t *t = fits(n->left->type) ? n->right->type : n->left->type;

	if (fits == type_is_integer)
		hint_convert(cx, t, &type_long);
	else
		hint_scalar(cx, t);
	dt_error(cx, &n->loc, tag, "operator %s needs %s, not %s", check_op(n), what,
		 check_type_text(cx, t));
}

static void binary_balance(dt_ctx_t *cx, dt_node_t *n)
{
	const dt_type_t *t = type_balance(n->left->type, n->right->type);

	if (type_is_pending(n->left->type) || type_is_pending(n->right->type))
		t = &type_pending;
	n->left = fold(cx, ast_cast(cx, n->left, t));
	n->right = fold(cx, ast_cast(cx, n->right, t));
	n->type = t;
}

static dt_node_t *binary_logical(dt_ctx_t *cx, dt_node_t *n)
{
	n->left = check_decay(cx, n->left);
	n->right = check_decay(cx, n->right);
	if (!type_is_scalar(n->left->type) || !type_is_scalar(n->right->type))
		binary_unfit(cx, n, type_is_scalar, D_OP_SCALAR, "integers or pointers");
	n->type = &type_int;
	return fold(cx, n);
}

static dt_node_t *binary_string_compare(dt_ctx_t *cx, dt_node_t *n)
{
	if ((check_is_null(n->left) && type_is_stringlike(n->right->type)) ||
	    (check_is_null(n->right) && type_is_stringlike(n->left->type))) {
		n->left = ast_cast(cx, n->left, &type_void_ptr);
		n->right = ast_cast(cx, n->right, &type_void_ptr);
	} else if (!type_is_stringlike(n->left->type) || !type_is_stringlike(n->right->type)) {
		binary_incompatible(cx, n);
	} else {
		n->left = ast_cast(cx, n->left, &type_string);
		n->right = ast_cast(cx, n->right, &type_string);
	}
	n->type = &type_int;
	return n;
}

/* Return the operand of a comparison with other: NULL is compared with what is translated. */
static dt_node_t *binary_operand(dt_node_t *n, const dt_node_t *other)
{
	return check_is_null(other) ? ast_translated(n) : n;
}

static dt_node_t *binary_compare(dt_ctx_t *cx, dt_node_t *n)
{
	if (type_is_stringlike(n->left->type) && type_is_stringlike(n->right->type)) {
		n->left = check_text(n->left);
		n->right = check_text(n->right);
	}
	if (type_is_string(n->left->type) || type_is_string(n->right->type))
		return binary_string_compare(cx, n);
	n->left = binary_operand(check_decay(cx, n->left), n->right);
	n->right = binary_operand(check_decay(cx, n->right), n->left);
	if (!type_is_scalar(n->left->type) || !type_is_scalar(n->right->type))
		binary_incompatible(cx, n);
	if (type_is_pointer(n->left->type) || type_is_pointer(n->right->type)) {
		if (!check_is_null(n->left) && !check_is_null(n->right) &&
		    !type_assignable(n->left->type, n->right->type))
			binary_incompatible(cx, n);
	} else {
		binary_balance(cx, n);
	}
	n->type = &type_int;
	return fold(cx, n);
}

static uint64_t binary_target_size(dt_ctx_t *cx, const dt_node_t *n, const dt_type_t *pointer)
{
	const dt_type_t *t = type_resolve(type_resolve(pointer)->base);

	if (t->kind == TYPE_VOID || t->kind == TYPE_FUNCTION)
		dt_error(dt_hint(cx, "cast it to a pointer to what is there, as in (char *)x"),
			 &n->loc,
			 t->kind == TYPE_VOID && !(n->left->flags & NODE_F_OLD) ? D_OP_INCOMPAT
										: D_OP_VFPTR,
			 "operator %s cannot be applied to %s", check_op(n),
			 check_type_text(cx, pointer));
	if (!t->complete || type_storage(t) == 0)
		dt_error(hint_tag(cx, t), &n->loc, D_OP_INCOMPLETE,
			 "operator %s needs the size of %s, which is not defined", check_op(n),
			 check_type_text(cx, t));
	return type_storage(t);
}

/* Multiply an index by the size of the pointer's target. */
static dt_node_t *binary_scale(dt_ctx_t *cx, const dt_node_t *n, dt_node_t *index,
			       const dt_type_t *pointer)
{
	uint64_t size = binary_target_size(cx, n, pointer);
	dt_node_t *mul;

	index = fold(cx, ast_cast(cx, index, &type_long));
	if (size == 1)
		return index;
	mul = ast_op(cx, NODE_BINARY, TOK_MUL, &n->loc, index,
		     ast_int(cx, &n->loc, size, &type_long), NULL);
	mul->type = &type_long;
	return fold(cx, mul);
}

static dt_node_t *binary_pointer_difference(dt_ctx_t *cx, dt_node_t *n)
{
	uint64_t size = binary_target_size(cx, n, n->left->type);
	dt_node_t *div;

	if (!type_assignable(n->left->type, n->right->type))
		binary_incompatible(cx, n);
	n->type = &type_long;
	if (size == 1)
		return n;
	div = ast_op(cx, NODE_BINARY, TOK_DIV, &n->loc, n, ast_int(cx, &n->loc, size, &type_long),
		     NULL);
	div->type = &type_long;
	return div;
}

static dt_node_t *binary_pointer_sum(dt_ctx_t *cx, dt_node_t *n)
{
	dt_node_t *t;

	if (type_is_pointer(n->left->type) && type_is_pointer(n->right->type)) {
		if (n->op == TOK_SUB)
			return binary_pointer_difference(cx, n);
		binary_incompatible(cx, n);
	}
	if (n->left->flags & NODE_F_OLD && !type_is_pointer(n->left->type))
		dt_error(dt_hint(cx, "assign the pointer to a variable of its type"), &n->loc,
			 D_OP_VFPTR, "operator %s= cannot be applied to %s and a pointer",
			 check_op(n), check_type_text(cx, n->left->type));
	if (type_is_pointer(n->right->type) && n->op == TOK_ADD) {
		t = n->left;
		n->left = n->right;
		n->right = t;
	}
	if (!type_is_pointer(n->left->type) || !type_is_integer(n->right->type))
		binary_incompatible(cx, n);
	n->type = n->left->type;
	n->right = binary_scale(cx, n, n->right, n->left->type);
	if (n->flags & NODE_F_BOUNDED)
		n->value *= binary_target_size(cx, n, n->left->type);
	return fold(cx, n);
}

/* Replace + between strings by strjoin(). With a subscript the sum is an address. */
static dt_node_t *binary_string_sum(dt_ctx_t *cx, dt_node_t *n)
{
	dt_node_t *call;

	if (n->flags & NODE_F_SUBSCRIPT) {
		n->left = ast_cast(cx, n->left, type_pointer(&cx->comp->arena, &type_char));
		return binary_pointer_sum(cx, n);
	}
	if (!type_is_stringlike(n->left->type) || !type_is_stringlike(n->right->type) ||
	    n->op != TOK_ADD)
		binary_incompatible(cx, n);
	call = ast_new(cx, NODE_FUNC, &n->loc);
	call->func = ident_lookup(cx, DIFV_SCOPE_GLOBAL, "strjoin")->func;
	call->type = &type_string;
	n->left->next = n->right;
	n->right->next = NULL;
	ast_args(cx, call, n->left);
	return call;
}

static bool binary_is_element(const dt_node_t *n)
{
	return n->kind == NODE_UNARY && n->op == TOK_MUL && n->left->kind == NODE_BINARY &&
	       n->left->flags & NODE_F_SUBSCRIPT && n->left->left->kind == NODE_CAST;
}

/*
 * Check a constant subscript of a variable of D or of a member of one, which has as many elements
 * as declared. Behind a pointer, members are not checked: the last one of a struct may have more
 * elements. Other subscripts are checked when the clause runs.
 */
static void binary_check_bounds(dt_ctx_t *cx, dt_node_t *n)
{
	const dt_type_t *t = type_resolve(n->left->type);
	const dt_node_t *array = n->left;

	while (binary_is_element(array) || array->kind == NODE_MEMBER)
		array = array->kind == NODE_MEMBER ? array->left : array->left->left->left;
	if (t->kind != TYPE_ARRAY || !t->nelems || array->kind != NODE_VAR ||
	    array->ident->kind == IDENT_PARAM)
		return;
	if (n->right->kind != NODE_INT) {
		n->flags |= NODE_F_BOUNDED;
		n->value = t->nelems;
	} else if (n->right->value >= t->nelems) {
		dt_error(dt_hint(cx, "use an index from 0 to %u", t->nelems - 1), &n->loc,
			 D_ARR_BADREF, "index %lld is outside of %s", (long long)n->right->value,
			 check_type_text(cx, n->left->type));
	}
}

static dt_node_t *binary_sum(dt_ctx_t *cx, dt_node_t *n)
{
	if (n->flags & NODE_F_SUBSCRIPT) {
		if (type_is_string(n->right->type))
			dt_error(dt_hint(cx, "use a number, as in x[0]"), &n->loc, D_OP_INCOMPAT,
				 "an index cannot be a string");
		binary_check_bounds(cx, n);
	}
	if (type_is_string(n->left->type) || type_is_string(n->right->type))
		return binary_string_sum(cx, n);
	n->left = check_decay(cx, n->left);
	n->right = check_decay(cx, n->right);
	if (n->flags & NODE_F_SUBSCRIPT)
		check_known(cx, n->left);
	if (type_is_pointer(n->left->type) || type_is_pointer(n->right->type))
		return binary_pointer_sum(cx, n);
	if (!type_is_integer(n->left->type) || !type_is_integer(n->right->type))
		binary_incompatible(cx, n);
	binary_balance(cx, n);
	return fold(cx, n);
}

static dt_node_t *binary_arith(dt_ctx_t *cx, dt_node_t *n)
{
	bool shift = n->op == TOK_SHL || n->op == TOK_SHR;

	if (!type_is_integer(n->left->type) || !type_is_integer(n->right->type))
		binary_unfit(cx, n, type_is_integer,
			     n->op == TOK_MUL || n->op == TOK_DIV ? D_OP_ARITH : D_OP_INT,
			     "integers");
	if (!shift) {
		binary_balance(cx, n);
		return fold(cx, n);
	}
	n->type = type_promote(n->left->type);
	if (n->op == TOK_SHL) /* in 64 bits: cut only where the result is stored */
		n->type = type_is_signed(n->type) ? &type_long : &type_ulong;
	n->left = fold(cx, ast_cast(cx, n->left, n->type));
	return fold(cx, n);
}

static dt_node_t *binary_comma(dt_ctx_t *cx, dt_node_t *n)
{
	check_operands(cx, n);
	if (type_is_dynamic(n->left->type) || type_is_dynamic(n->right->type))
		dt_error(cx, &n->loc, D_OP_DYN, "a whole array or aggregation is not a value");
	n->type = n->right->type;
	return n;
}

dt_node_t *binary_check(dt_ctx_t *cx, dt_node_t *n)
{
	if (n->op == TOK_COMMA)
		return binary_comma(cx, n);
	check_operands(cx, n);
	if (n->left->flags & NODE_F_OLD && type_is_dynamic(n->left->type))
		dt_error(dt_hint(cx, "aggregate values: @name = sum(VALUE);"), &n->loc,
			 D_OP_INCOMPAT, "operator %s= cannot change an aggregation", check_op(n));
	switch (n->op) {
	case TOK_LAND:
	case TOK_LOR:
	case TOK_LXOR:
		return binary_logical(cx, n);
	case TOK_EQ:
	case TOK_NE:
	case TOK_LT:
	case TOK_LE:
	case TOK_GT:
	case TOK_GE:
		return binary_compare(cx, n);
	case TOK_ADD:
	case TOK_SUB:
		return binary_sum(cx, n);
	default:
		return binary_arith(cx, n);
	}
}
