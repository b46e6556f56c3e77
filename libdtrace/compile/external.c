/* SPDX-License-Identifier: MIT */
/* external.c - declarations outside of clauses: they declare types and variables. */
#include <string.h>

#include "compile.h"
#include "hint.h"
#include "decl.h"
#include "kernel.h"
#include "diag.h"

static void external_type(dt_ctx_t *cx, const dt_decl_t *d)
{
	const dt_type_t *old = scope_lookup(&cx->comp->types, d->name);
	dt_type_t *t;

	if (old && !old->predefined)
		dt_error(dt_hint(cx, "choose another name, or remove one of the definitions"),
			 &d->loc, D_DECL_IDRED, "type %s is already defined", d->name);
	if (old && type_same(old, d->type))
		return;
	if (ident_lookup(cx, DIFV_SCOPE_GLOBAL, d->name))
		dt_error(cx, &d->loc, D_DECL_IDRED, "%s is already declared as a variable",
			 d->name);
	t = arena_alloc(&cx->comp->arena, sizeof(*t));
	*t = *d->type;
	t->kind = TYPE_TYPEDEF;
	t->base = d->type;
	t->predefined = false;
	t->name = scope_insert(&cx->comp->types, &cx->comp->arena, d->name, t);
}

static void external_check_object(dt_ctx_t *cx, const dt_decl_t *d)
{
	const dt_type_t *t = type_resolve(d->type);

	if (t->kind == TYPE_VOID)
		dt_error(cx, &d->loc, D_DECL_VOIDOBJ, "%s cannot be of type void", d->name);
	if (d->no_dim)
		dt_error(cx, &d->loc, D_DECL_ARRNULL,
			 "%s[] needs a length or the types of its keys", d->name);
	if (t->kind == TYPE_ARRAY && t->complete && t->size == 0)
		dt_error(dt_hint(cx, "give it a length of at least 1"), &d->loc, D_DECL_ARRSUB,
			 "%s has type %s, which holds nothing", d->name,
			 check_type_text(cx, d->type));
	if (!t->complete || (t->size == 0 && t->kind != TYPE_STRING))
		dt_error(hint_tag(cx, t), &d->loc, D_DECL_INCOMPLETE,
			 "%s has type %s, which is not defined", d->name,
			 check_type_text(cx, d->type));
}

static bool external_same_keys(const dt_ident_t *id, const dt_decl_t *d)
{
	uint32_t i = 0;

	if (id->nkeys != d->nkeys)
		return false;
	for (const dt_decl_param_t *k = d->keys; k; k = k->next)
		if (!id->keys || !type_same(id->keys[i++], k->type))
			return false;
	return true;
}

static dt_ctx_t *external_again_hint(dt_ctx_t *cx, const dt_ident_t *id)
{
	if (!id->type || (id->kind != IDENT_VAR && id->kind != IDENT_BUILTIN))
		return cx;
	return dt_hint(cx, "choose another name: this one is of type %s",
		       check_type_text(cx, id->type));
}

static void external_variable(dt_ctx_t *cx, const dt_decl_t *d, int scope)
{
	dt_ident_kind_t kind = d->is_array ? IDENT_ASSOC : IDENT_VAR;
	dt_ident_t *id = ident_lookup(cx, scope, d->name);
	uint32_t i = 0;

	external_check_object(cx, d);
	for (const dt_decl_param_t *k = d->keys; k; k = k->next)
		if (k->name)
			dt_error(cx, &d->loc, D_DECL_PROTO_NAME,
				 "a key of %s[] cannot have a name such as %s", d->name, k->name);
	if (d->is_array && scope == DIFV_SCOPE_LOCAL)
		dt_error(cx, &d->loc, D_DECL_LOCASSC, "associative array %s cannot be clause-local",
			 d->name);
	if (id && (id->kind != kind || !id->type || !type_same(id->type, d->type) ||
		   !external_same_keys(id, d)))
		dt_error(external_again_hint(cx, id), &d->loc, D_DECL_IDRED,
			 "%s is already declared as something else", d->name);
	if (id)
		return;
	id = ident_declare(cx, scope, d->name, kind, d->type);
	id->declared = true;
	ident_number(cx, id, &d->loc);
	if (!d->is_array)
		return;
	id->nkeys = d->nkeys;
	id->keys = arena_alloc(&cx->comp->arena, (d->nkeys + 1) * sizeof(*id->keys));
	for (const dt_decl_param_t *k = d->keys; k; k = k->next)
		id->keys[i++] = k->type;
}

/* Declare the type of a kernel symbol: extern type module`name; */
static void external_symbol(dt_ctx_t *cx, const dt_decl_t *d, uint32_t storage)
{
	const char *module, *name = symbol_split(cx, d->name, &module);

	if (storage != DECL_EXTERN || d->is_array)
		dt_error(dt_hint(cx, "write extern before the type to tell the type of a symbol"),
			 &d->loc, D_DECL_SCOPE, "%s: a program cannot define a symbol of a module",
			 d->name);
	if (type_resolve(d->type)->kind != TYPE_FUNCTION)
		external_check_object(cx, d);
	scope_insert(&cx->comp->symbols, &cx->comp->arena,
		     arena_printf(&cx->tmp, "%s`%s", kernel_module(module), name), (void *)d->type);
}

static void external_one(dt_ctx_t *cx, const dt_decl_t *d, uint32_t storage)
{
	if (!d->name && cx->tok.kind != TOK_SEMI)
		diag_no_name(cx, "name");
	if (!d->name)
		dt_error(cx, &d->loc, D_DECL_USELESS, "this declaration needs a name");
	if (strchr(d->name, '`')) {
		external_symbol(cx, d, storage);
		return;
	}
	if (storage & DECL_TYPEDEF && d->is_array)
		dt_error(cx, &d->loc, D_DECL_DYNOBJ, "%s: an associative array is not a type",
			 d->name);
	if (storage & DECL_TYPEDEF)
		external_type(cx, d);
	else if (type_resolve(d->type)->kind == TYPE_FUNCTION)
		; /* of headers; there is nothing that D could do with it */
	else if (storage & DECL_INLINE)
		inline_parse(cx, d);
	else if (storage & DECL_EXTERN && d->no_dim)
		; /* of what another declaration tells the length of */
	else if (storage & (DECL_STATIC | DECL_AUTO))
		dt_error(cx, &d->loc, D_DECL_BADCLASS, "%s: D has no static or auto variables",
			 d->name);
	else
		external_variable(cx, d,
				  storage & DECL_SELF	? DIFV_SCOPE_THREAD
				  : storage & DECL_THIS ? DIFV_SCOPE_LOCAL
							: DIFV_SCOPE_GLOBAL);
}

/*
 * Check the end of a declaration. Its last token stays current, because the caller reads probe
 * descriptions next.
 */
static void external_end(dt_ctx_t *cx)
{
	if (cx->tok.kind == TOK_ASSIGN)
		diag_unexpected(
			cx, "';' after a declaration",
			"a clause assigns, as in BEGIN { x = 5; }; a constant is inline int x = 5;");
	if (cx->tok.kind != TOK_SEMI)
		diag_unexpected(cx, "';' after a declaration", "write ; before this");
}

/*
 * Skip the body of a C function in a file that -C includes, to its last brace, which stays current.
 */
static void external_skip_body(dt_ctx_t *cx)
{
	int depth = 1;

	if (!decl_is_c(&cx->tok.loc))
		diag_unexpected(
			cx, "';' after a declaration",
			"D has no functions of its own: write inline int f[int a] = a + 1;");
	while (depth > 0) {
		parse_advance(cx);
		depth += (cx->tok.kind == TOK_LBRACE) - (cx->tok.kind == TOK_RBRACE);
		if (cx->tok.kind == TOK_EOF)
			diag_unexpected(cx, "'}'", "write } here, at the end of the function");
	}
}

/* Keep the text of a declaration, for dtrace -d. The current token is its last. */
static void external_show(dt_ctx_t *cx, const char *start)
{
	if (cx->flags & DTRACE_C_SUGAR && !cx->library)
		parse_keep_text(cx, arena_printf(&cx->tmp, "%.*s\n\n",
						 (int)(cx->tok.loc.pos + 1 - start), start));
}

static void external_read(dt_ctx_t *cx)
{
	const dt_type_t *base;
	uint32_t storage = 0;
	dt_decl_t d;

	if (cx->tok.kind == TOK_TRANSLATOR || cx->tok.kind == TOK_PROVIDER) {
		(cx->tok.kind == TOK_TRANSLATOR ? translator_parse : provider_parse)(cx);
		return;
	}
	base = decl_specifiers_with(cx, &storage);
	if (cx->tok.kind == TOK_SEMI && !type_is_record(base) && base->kind != TYPE_ENUM)
		dt_error(cx, &cx->tok.loc, D_DECL_USELESS, "this declaration needs a name");
	if (cx->tok.kind != TOK_SEMI) {
		do {
			d = decl_declarator(cx, base);
			external_one(cx, &d, storage);
		} while (parse_accept(cx, TOK_COMMA));
		if (type_resolve(d.type)->kind == TYPE_FUNCTION && cx->tok.kind == TOK_LBRACE) {
			external_skip_body(cx);
			return;
		}
	}
	external_end(cx);
}

void external_parse(dt_ctx_t *cx)
{
	const char *start = cx->tok.loc.pos;

	external_read(cx);
	external_show(cx, start);
}
