/* SPDX-License-Identifier: MIT */
/* fold.c - operators on constants, carried out when the program is compiled. */
#include "compile.h"

/* Cut a value to an integer type, and extend it to 64 bits. */
static uint64_t fold_normalize(uint64_t value, const dt_type_t *t)
{
	uint64_t bits = dt_type_size(t) * 8;

	if (bits == 0 || bits >= 64)
		return value;
	if (type_resolve(t) == &type_bool)
		return value != 0;
	value &= (1ULL << bits) - 1;
	if (type_is_signed(t) && value >> (bits - 1))
		value |= ~0ULL << bits;
	return value;
}

static bool fold_is_const(const dt_node_t *n)
{
	return n && n->kind == NODE_INT;
}

static bool fold_compare(dt_tok_t op, uint64_t a, uint64_t b, bool is_signed)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (op) {
	case TOK_EQ:
		return a == b;
	case TOK_NE:
		return a != b;
	case TOK_LT:
		return less;
	case TOK_LE:
		return less || a == b;
	case TOK_GT:
		return !less && a != b;
	default:
		return !less;
	}
}

static uint64_t fold_divide(dt_ctx_t *cx, const dt_node_t *n, uint64_t a, uint64_t b)
{
	bool rem = n->op == TOK_MOD;

	if (b == 0)
		dt_error(cx, &n->loc, D_DIV_ZERO, "division by zero");
	if (!type_is_signed(n->type))
		return rem ? a % b : a / b;
	if (b == UINT64_MAX)
		return rem ? 0 : -a;
	return (uint64_t)(rem ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t fold_shift(const dt_node_t *n, uint64_t a, uint64_t b)
{
	b &= 63;
	if (n->op == TOK_SHL)
		return a << b;
	if (!type_is_signed(n->type) || !(a >> 63))
		return a >> b;
	return ~(~a >> b);
}

static bool fold_logical(dt_tok_t op, uint64_t a, uint64_t b)
{
	return op == TOK_LAND ? a && b : op == TOK_LOR ? a || b : !a != !b;
}

static uint64_t fold_binary(dt_ctx_t *cx, const dt_node_t *n, uint64_t a, uint64_t b)
{
	switch (n->op) {
	case TOK_ADD:
		return a + b;
	case TOK_SUB:
		return a - b;
	case TOK_MUL:
		return a * b;
	case TOK_DIV:
	case TOK_MOD:
		return fold_divide(cx, n, a, b);
	case TOK_AND:
		return a & b;
	case TOK_OR:
		return a | b;
	case TOK_XOR:
		return a ^ b;
	case TOK_SHL:
	case TOK_SHR:
		return fold_shift(n, a, b);
	case TOK_LAND:
	case TOK_LOR:
	case TOK_LXOR:
		return fold_logical(n->op, a, b);
	case TOK_COMMA:
		return b;
	default:
		return fold_compare(n->op, a, b, type_is_signed(n->left->type));
	}
}

static uint64_t fold_unary(const dt_node_t *n, uint64_t a)
{
	switch (n->op) {
	case TOK_SUB:
		return -a;
	case TOK_TILDE:
		return ~a;
	case TOK_NOT:
		return !a;
	default:
		return a;
	}
}

/*
 * Replace an operator by its value. As in a running program, signed values are computed in 64 bits:
 * 60 * 1000000000 is an int, but can be a long's value.
 */
static dt_node_t *fold_result(dt_ctx_t *cx, const dt_node_t *n, uint64_t value)
{
	const bool whole = n->kind != NODE_CAST && type_is_signed(n->type) &&
			   type_resolve(n->type) != &type_bool;
	dt_node_t *c =
		ast_int(cx, &n->loc, whole ? value : fold_normalize(value, n->type), n->type);

	c->next = n->next;
	c->flags = n->flags;
	return c;
}

dt_node_t *fold(dt_ctx_t *cx, dt_node_t *n)
{
	if (!fold_is_const(n->left) || !n->type || !type_is_scalar(n->type))
		return n;
	switch (n->kind) {
	case NODE_UNARY:
		if (n->op == TOK_MUL || n->op == TOK_AND)
			return n;
		return fold_result(cx, n, fold_unary(n, n->left->value));
	case NODE_BINARY:
		if (!fold_is_const(n->right))
			return n;
		return fold_result(cx, n, fold_binary(cx, n, n->left->value, n->right->value));
	case NODE_CAST:
		return fold_result(cx, n, n->left->value);
	case NODE_COND:
		if (!fold_is_const(n->right) || !fold_is_const(n->third))
			return n;
		return fold_result(cx, n, n->left->value ? n->right->value : n->third->value);
	default:
		return n;
	}
}
