/* SPDX-License-Identifier: MIT */
/* ast.c - expressions and statements as trees: making nodes. */
#include "ast.h"
#include "compile.h"

dt_node_t *ast_new(dt_ctx_t *cx, dt_node_kind_t kind, const dt_loc_t *loc)
{
	dt_node_t *n = arena_alloc(cx->ast, sizeof(*n));

	n->kind = kind;
	n->loc = *loc;
	n->depth = 1;
	return n;
}

void ast_deepen(dt_ctx_t *cx, dt_node_t *n, const dt_node_t *child)
{
	if (!child || child->depth < n->depth)
		return;
	n->depth = child->depth + 1;
	if (n->depth > AST_MAXDEPTH)
		dt_error(cx, &n->loc, D_DEPTH, "expression is nested more than %d levels deep",
			 AST_MAXDEPTH);
}

dt_node_t *ast_op(dt_ctx_t *cx, dt_node_kind_t kind, dt_tok_t op, const dt_loc_t *loc,
		  dt_node_t *left, dt_node_t *right, dt_node_t *third)
{
	dt_node_t *n = ast_new(cx, kind, loc);

	n->op = op;
	n->left = left;
	n->right = right;
	n->third = third;
	ast_deepen(cx, n, left);
	ast_deepen(cx, n, right);
	ast_deepen(cx, n, third);
	return n;
}

void ast_args(dt_ctx_t *cx, dt_node_t *n, dt_node_t *args)
{
	n->args = args;
	for (; args; args = args->next)
		ast_deepen(cx, n, args);
}

dt_node_t *ast_int(dt_ctx_t *cx, const dt_loc_t *loc, uint64_t value, const dt_type_t *type)
{
	dt_node_t *n = ast_new(cx, NODE_INT, loc);

	n->value = value;
	n->type = type;
	return n;
}

dt_node_t *ast_cast(dt_ctx_t *cx, dt_node_t *n, const dt_type_t *type)
{
	dt_node_t *cast, *next = n->next;

	if (type_same(n->type, type))
		return n;
	cast = ast_op(cx, NODE_CAST, TOK_EOF, &n->loc, n, NULL, NULL);
	cast->type = type;
	cast->next = next;
	return cast;
}

dt_node_t *ast_copy(dt_ctx_t *cx, const dt_node_t *list)
{
	dt_node_t *copy = NULL, **tail = &copy, *n;

	for (; list; list = list->next) {
		n = ast_new(cx, list->kind, &list->loc);
		*n = *list;
		n->left = ast_copy(cx, list->left);
		n->right = ast_copy(cx, list->right);
		n->third = ast_copy(cx, list->third);
		n->args = ast_copy(cx, list->args);
		*tail = n;
		tail = &n->next;
	}
	return copy;
}

dt_node_t *ast_translated(dt_node_t *n)
{
	return n->kind == NODE_XLATE && type_is_pointer(n->type) && type_is_pointer(n->left->type)
		       ? n->left
		       : n;
}

dt_node_t *ast_root(dt_node_t *n, bool pointer)
{
	for (;;) {
		if (pointer && n->kind == NODE_BINARY && (n->op == TOK_ADD || n->op == TOK_SUB)) {
			n = n->left;
		} else if (pointer && n->kind == NODE_UNARY && n->op == TOK_AND) {
			n = n->left;
			pointer = false;
		} else if (pointer && n->kind == NODE_CAST && type_is_pointer(n->type) &&
			   (type_is_pointer(n->left->type) || type_is_byref(n->left->type))) {
			n = n->left;
			pointer = type_is_pointer(n->type);
		} else if (!pointer && n->kind == NODE_MEMBER) {
			n = n->left;
		} else if (!pointer && n->kind == NODE_UNARY && n->op == TOK_MUL) {
			n = n->left;
			pointer = true;
		} else {
			return !pointer && n->kind == NODE_VAR && type_is_byref(n->type) &&
					       (n->ident->kind == IDENT_VAR ||
						n->ident->kind == IDENT_ASSOC)
				       ? n
				       : NULL;
		}
	}
}

bool ast_is_copied(const dt_node_t *root)
{
	return root->ident->kind == IDENT_ASSOC || root->ident->scope == DIFV_SCOPE_THREAD ||
	       type_is_string(root->type);
}

uint32_t ast_count(const dt_node_t *list)
{
	uint32_t n = 0;

	for (; list; list = list->next)
		n++;
	return n;
}
