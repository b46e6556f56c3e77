/* SPDX-License-Identifier: MIT */
/* inline.c - inlines: their declaration and their use. */
#include "compile.h"
#include "hint.h"
#include "decl.h"
#include "stability.h"

/* Declare the parameters of an inline. They are names only while its body is read. */
static void inline_params(dt_ctx_t *cx, dt_ident_t *id, const dt_decl_t *d)
{
	uint32_t i = 0;

	id->nparams = d->nkeys;
	id->params = arena_alloc(&cx->comp->arena, (d->nkeys + 1) * sizeof(*id->params));
	for (const dt_decl_param_t *k = d->keys; k; k = k->next) {
		if (!k->name)
			dt_error(cx, &d->loc, D_DECL_PARMNAME,
				 "inline %s: every parameter needs a name", d->name);
		id->params[i++] =
			ident_declare(cx, DIFV_SCOPE_GLOBAL, k->name, IDENT_PARAM, k->type);
	}
}

static dt_node_t *inline_value(dt_ctx_t *cx, const dt_type_t *type)
{
	return check_convert(cx, check_value(cx, parse_assign(cx)), type, "value of the inline");
}

/* Return the checked value of an inline. That of a D library is read when it is first used. */
static dt_node_t *inline_body(dt_ctx_t *cx, dt_ident_t *id)
{
	dt_reading_t before;

	if (id->body)
		return id->body;
	deferred_begin(cx, id->text, &before);
	for (uint32_t i = 0; i < id->nparams; i++)
		scope_insert(&cx->comp->globals, &cx->comp->arena, id->params[i]->name,
			     id->params[i]);
	id->type = tagged_complete(cx, id->type);
	id->body = inline_value(cx, id->type);
	if (!id->attr_given)
		stability_expr(cx, id->body, &id->attr);
	deferred_made(cx, (const void **)&id->body);
	deferred_end(cx, &before);
	return id->body;
}

/*
 * May a program declare an inline of that name? The inlines of D libraries differ between systems,
 * so a program's own inline replaces one of them. D libraries still see theirs.
 */
static bool inline_may_hide(const dt_ctx_t *cx, const dt_ident_t *id)
{
	return !id || (id->kind == IDENT_INLINE && id->text && !cx->library);
}

void inline_parse(dt_ctx_t *cx, const dt_decl_t *d)
{
	struct arena *ast = cx->ast;
	uint32_t mark = cx->comp->globals.n;
	dt_ident_t read = {0}, *id;

	if (!inline_may_hide(cx, ident_lookup(cx, DIFV_SCOPE_GLOBAL, d->name)))
		dt_error(cx, &d->loc, D_DECL_IDRED, "%s is already declared", d->name);
	cx->ast = &cx->comp->arena;
	parse_expect(cx, TOK_ASSIGN, "after an inline's name");
	inline_params(cx, &read, d);
	if (cx->library)
		read.text = deferred_take(cx, TOK_SEMI);
	else
		read.body = inline_value(cx, d->type);
	scope_rollback(&cx->comp->globals, mark);
	cx->ast = ast;
	id = ident_declare(cx, DIFV_SCOPE_GLOBAL, d->name, IDENT_INLINE, d->type);
	id->params = read.params;
	id->nparams = read.nparams;
	id->body = read.body;
	id->text = read.text;
	if (id->body && !id->attr_given)
		stability_expr(cx, id->body, &id->attr);
}

static dt_node_t *inline_use(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id, dt_node_t *args)
{
	n->kind = NODE_INLINE;
	n->ident = id;
	n->type = id->type;
	ast_args(cx, n, args);
	ast_deepen(cx, n, id->body);
	return n;
}

/*
 * Replace an inline that stands for a translated object: make a second inline of the object that is
 * translated.
 */
static dt_node_t *inline_xlate(dt_ctx_t *cx, dt_node_t *n, const dt_ident_t *id, dt_node_t *args)
{
	dt_ident_t *in = arena_alloc(cx->ast, sizeof(*in));
	dt_node_t *x;

	*in = *id;
	in->body = id->body->left;
	in->type = in->body->type;
	in->text = NULL;
	x = ast_op(cx, NODE_XLATE, TOK_XLATE, &n->loc, inline_use(cx, n, in, args), NULL, NULL);
	x->type = id->type;
	return x;
}

dt_node_t *inline_check(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id, dt_node_t *args)
{
	uint32_t i = 0;
	dt_node_t **tail = &args, *next, *body;

	if (ast_count(args) != id->nparams)
		dt_error(hint_params(cx, id), &n->loc, D_PROTO_LEN,
			 "inline %s takes %u argument%s, but %u given", id->name, id->nparams,
			 id->nparams == 1 ? "" : "s", ast_count(args));
	body = inline_body(cx, id);
	if (body->kind == NODE_INT) {
		n = ast_int(cx, &n->loc, body->value, id->type);
		n->ident = id;
		return n;
	}
	for (; *tail; tail = &(*tail)->next) {
		next = (*tail)->next;
		*tail = check_value(cx, *tail);
		if (!check_fits(id->params[i]->type, *tail))
			dt_error(hint_convert(hint_params(cx, id), (*tail)->type,
					      id->params[i]->type),
				 &(*tail)->loc, D_PROTO_ARG,
				 "argument %u of %s must be of type %s, not %s", i + 1, id->name,
				 check_type_text(cx, id->params[i]->type),
				 check_type_text(cx, (*tail)->type));
		*tail = check_convert(cx, *tail, id->params[i++]->type, "argument");
		(*tail)->next = next;
	}
	if (body->kind == NODE_XLATE)
		return inline_xlate(cx, n, id, args);
	return inline_use(cx, n, id, args);
}
