/* SPDX-License-Identifier: MIT */
/* assign.c - assignments: checks what they change, and declares the variables that they create. */
#include "check.h"
#include "hint.h"

/* Declare the variable that an assignment to an unknown name creates. */
static void assign_create_scalar(dt_ctx_t *cx, const dt_node_t *n, const dt_type_t *t)
{
	ident_number(cx, ident_declare(cx, n->scope, n->str, IDENT_VAR, t), &n->loc);
}

static void assign_create_assoc(dt_ctx_t *cx, const dt_node_t *n, const dt_type_t *t)
{
	if (n->left->scope == DIFV_SCOPE_LOCAL)
		dt_error(cx, &n->loc, D_ARR_LOCAL,
			 "associative array this->%s cannot be clause-local", n->left->str);
	ident_number(cx, ident_declare(cx, n->left->scope, n->left->str, IDENT_ASSOC, t), &n->loc);
}

static void assign_create(dt_ctx_t *cx, const dt_node_t *n, const dt_type_t *t)
{
	if (n->kind == NODE_IDENT && !ident_lookup(cx, n->scope, n->str))
		assign_create_scalar(cx, n, t);
	if (n->kind == NODE_INDEX && n->left->kind == NODE_IDENT &&
	    !ident_lookup(cx, n->left->scope, n->left->str))
		assign_create_assoc(cx, n, t);
}

static bool assign_names_unknown(dt_ctx_t *cx, const dt_node_t *n)
{
	if (n->kind == NODE_INDEX)
		n = n->left;
	return n->kind == NODE_IDENT && !ident_lookup(cx, n->scope, n->str);
}

void assign_create_read(dt_ctx_t *cx, const dt_node_t *n)
{
	int scope = n->kind == NODE_INDEX ? n->left->scope : n->scope;

	if (assign_names_unknown(cx, n) &&
	    (scope == DIFV_SCOPE_THREAD || (n->kind == NODE_INDEX && scope == DIFV_SCOPE_GLOBAL)))
		assign_create(cx, n, &type_long);
}

#define ASSIGN_STRING                                                                           \
	"join a new string of substr(s, start, length) and others, or declare an array, as in " \
	"char s[10];"

/* Return whether an expression is s[i], *s or the like, with a string s. */
static bool assign_is_string_element(const dt_node_t *n)
{
	const dt_node_t *root = ast_root((dt_node_t *)n, false);

	if (root && type_is_string(root->type))
		return true;
	if (n->kind != NODE_UNARY || n->op != TOK_MUL)
		return false;
	n = n->left;
	if (n->kind == NODE_BINARY && n->flags & NODE_F_SUBSCRIPT && n->left->kind == NODE_CAST)
		n = n->left->left;
	return type_is_string(n->type);
}

/* Add a hint for an assignment to a built-in variable: the program probably means ==. */
static dt_ctx_t *assign_hint(dt_ctx_t *cx, const dt_node_t *at)
{
	return at->op == TOK_ASSIGN ? dt_hint(cx, "== compares; = needs a variable of the program")
				    : cx;
}

/* Return whether a variable keeps what is assigned to it, or an element of it. */
static bool assign_keeps(const dt_ident_t *id)
{
	return id->kind == IDENT_VAR || id->kind == IDENT_ASSOC;
}

/* Return the pointer variable through which n is reached, or NULL. */
static dt_ident_t *assign_through(const dt_node_t *n)
{
	bool pointer = false;

	for (;; n = n->left) {
		if (!pointer && n->kind == NODE_UNARY && n->op == TOK_MUL)
			pointer = true;
		else if (!(!pointer && n->kind == NODE_MEMBER) &&
			 !(pointer && n->kind == NODE_BINARY) &&
			 !(pointer && n->kind == NODE_CAST && type_is_pointer(n->left->type)))
			break;
	}
	return pointer && n->kind == NODE_VAR && assign_keeps(n->ident) ? n->ident : NULL;
}

static void assign_lost(dt_ctx_t *cx, const dt_node_t *at, const char *pointer,
			const dt_ident_t *copied) __attribute__((noreturn));

static void assign_lost(dt_ctx_t *cx, const dt_node_t *at, const char *pointer,
			const dt_ident_t *copied)
{
	const char *name = copied->name;

	if (type_is_string(copied->type))
		dt_hint(cx, ASSIGN_STRING);
	else
		dt_hint(cx, "assign to %s itself: an element by %s[i], a member by %s.name", name,
			name, name);
	dt_error(cx, &at->loc, D_OP_WRITE,
		 "a value stored through %s would be lost: the pointer is to a copy of %s", pointer,
		 name);
}

/* Complain of a store through a pointer to a copy; remember others, should it become one. */
static void assign_check_lost(dt_ctx_t *cx, const dt_node_t *at, const dt_node_t *n)
{
	dt_ident_t *pointer = assign_through(n);

	if (!pointer)
		return;
	if (pointer->copied)
		assign_lost(cx, at, pointer->name, pointer->copied);
	pointer->stored = true;
}

/* Return the variable to whose copy a pointer points, or NULL. */
static const dt_ident_t *assign_copied(dt_node_t *value)
{
	const dt_node_t *root = ast_root(value, true);

	if (root)
		return ast_is_copied(root) ? root->ident : NULL;
	while (value->kind == NODE_BINARY ||
	       (value->kind == NODE_CAST && type_is_pointer(value->left->type)))
		value = value->left;
	return value->kind == NODE_VAR ? value->ident->copied : NULL;
}

/* Note that a pointer variable gets the address of a copy. */
static void assign_note_pointer(dt_ctx_t *cx, const dt_node_t *at, const dt_node_t *n,
				dt_node_t *value)
{
	const dt_ident_t *copied;

	if (n->kind != NODE_VAR || !assign_keeps(n->ident) || !type_is_pointer(n->type))
		return;
	copied = assign_copied(value);
	if (!copied)
		return;
	if (n->ident->stored)
		assign_lost(cx, at, n->ident->name, copied);
	n->ident->copied = copied;
}

static void assign_writable(dt_ctx_t *cx, const dt_node_t *at, const dt_node_t *n)
{
	if (n->kind == NODE_VAR) {
		if (n->ident->kind != IDENT_VAR && n->ident->kind != IDENT_ASSOC)
			dt_error(assign_hint(cx, at), &at->loc, D_OP_WRITE,
				 "operator %s cannot change %s", check_op(at), n->ident->name);
		return;
	}
	assign_check_lost(cx, at, n);
	if (n->flags & NODE_F_SYMBOL)
		dt_error(dt_hint(cx, "D reads the kernel only: keep the value in a variable"),
			 &at->loc, D_OP_WRITE, "operator %s cannot change kernel memory",
			 check_op(at));
	if (assign_is_string_element(n))
		dt_error(dt_hint(cx, ASSIGN_STRING), &at->loc, D_OP_LVAL,
			 "operator %s cannot change a character of a string", check_op(at));
	if (!check_has_address(n))
		dt_error(cx, &at->loc, D_OP_LVAL, "operator %s can only change a variable",
			 check_op(at));
	if (!type_is_scalar(n->type) && type_resolve(n->type)->kind != TYPE_FLOAT &&
	    !type_is_string(n->type) &&
	    !(type_is_record(n->type) && type_resolve(n->type)->complete))
		dt_error(hint_scalar(cx, n->type), &at->loc, D_OP_INCOMPAT,
			 "operator %s cannot change an object of type %s", check_op(at),
			 check_type_text(cx, n->type));
}

/* Return a value of the left side as the program sees it. */
static dt_node_t *assign_seen(dt_ctx_t *cx, const dt_node_t *n, dt_node_t *value)
{
	const dt_node_t *var = check_text(n->left);

	return var->kind == NODE_VAR ? check_seen(cx, var->ident, value) : value;
}

/* Set the right side to a value, converted to what the variable holds. */
static void assign_convert(dt_ctx_t *cx, dt_node_t *n, dt_node_t *value, const char *what)
{
	const dt_type_t *seen = n->left->type;

	n->left = check_text(n->left);
	n->right = check_convert(cx, value, seen, what);
	if (seen != n->left->type)
		n->right = ast_cast(cx, value, n->left->type);
}

/* Give an assignment its type. Return its value. */
static dt_node_t *assign_result(dt_ctx_t *cx, dt_node_t *n)
{
	n->type = n->left->type;
	return assign_seen(cx, n, n);
}

/* Make a node that stands for the value of the left side before the assignment. */
static dt_node_t *assign_old_value(dt_ctx_t *cx, dt_node_t *n)
{
	dt_node_t *old = ast_new(cx, NODE_VAR, &n->loc);
	dt_ident_t *id = arena_alloc(cx->ast, sizeof(*id));

	id->kind = IDENT_PARAM;
	id->name = "";
	id->type = check_text(n->left)->type;
	n->ident = id;
	old->flags |= NODE_F_OLD;
	return assign_seen(cx, n, check_var_node(old, id));
}

static dt_tok_t assign_plain_op(dt_tok_t op)
{
	static const dt_tok_t ops[] = {TOK_MUL, TOK_DIV, TOK_MOD, TOK_ADD, TOK_SUB,
				       TOK_SHL, TOK_SHR, TOK_AND, TOK_XOR, TOK_OR};

	return op == TOK_INC ? TOK_ADD : op == TOK_DEC ? TOK_SUB : ops[op - TOK_MUL_EQ];
}

/* Replace left op= right, ++ and -- by left = old op right. */
static dt_node_t *assign_compound(dt_ctx_t *cx, dt_node_t *n, dt_node_t *right)
{
	right = ast_op(cx, NODE_BINARY, assign_plain_op(n->op), &n->loc, assign_old_value(cx, n),
		       right, NULL);
	assign_convert(cx, n, check_expr(cx, right), "result");
	assign_writable(cx, n, n->left);
	n->kind = NODE_ASSIGN;
	return assign_result(cx, n);
}

static void assign_no_array(dt_ctx_t *cx, const dt_node_t *n)
{
	dt_type_kind_t kind = type_resolve(n->left->type)->kind;

	if (kind == TYPE_ARRAY || kind == TYPE_FUNCTION)
		dt_error(cx, &n->loc, D_OP_ARRFUN, "operator %s cannot be applied to %s",
			 check_op(n), check_type_text(cx, n->left->type));
}

/* Return whether a value is a string that the program has cast to a pointer to characters. */
static bool assign_is_text(const dt_node_t *value)
{
	return value->kind == NODE_CAST && type_is_pointer(value->type) &&
	       type_is_stringlike(value->type) && type_is_string(value->left->type);
}

/*
 * Declare the variable that an assignment creates, if it does. An associative array whose first
 * value is a text such as (char *)curpsinfo->pr_psargs keeps texts, since the memory of the string
 * is that of the firing. To the program its elements are still pointers.
 */
static void assign_create_first(dt_ctx_t *cx, const dt_node_t *n)
{
	const dt_node_t *left = n->left, *value = n->right;
	bool text = left->kind == NODE_INDEX && assign_is_text(value);

	if (!assign_names_unknown(cx, left))
		return;
	assign_create(cx, left, text ? &type_string : check_var_type(cx, value));
	if (text)
		ident_lookup(cx, left->left->scope, left->left->str)->pointer = value->type;
}

dt_node_t *assign_check(dt_ctx_t *cx, dt_node_t *n)
{
	if (n->op != TOK_ASSIGN) {
		if (assign_names_unknown(cx, n->left))
			assign_create(cx, n->left, &type_long);
		n->left = check_value(cx, n->left);
		return assign_compound(cx, n, n->right);
	}
	n->right = check_value(cx, n->right);
	assign_create_first(cx, n);
	n->left = check_value(cx, n->left);
	assign_no_array(cx, n);
	assign_convert(cx, n, n->right, "value");
	assign_writable(cx, n, n->left);
	assign_note_pointer(cx, n, n->left, n->right);
	return assign_result(cx, n);
}

dt_node_t *assign_incdec(dt_ctx_t *cx, dt_node_t *n)
{
	if (assign_names_unknown(cx, n->left))
		assign_create(cx, n->left, &type_long);
	n->left = check_value(cx, n->left);
	if (!type_is_scalar(n->left->type))
		dt_error(hint_scalar(cx, n->left->type), &n->loc, D_OP_SCALAR,
			 "operator %s needs an integer or a pointer, not %s", check_op(n),
			 check_type_text(cx, n->left->type));
	return assign_compound(cx, n, ast_int(cx, &n->loc, 1, &type_int));
}
