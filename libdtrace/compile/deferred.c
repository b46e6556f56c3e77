/* SPDX-License-Identifier: MIT */
/* deferred.c - parts of a D library that are read when they are first needed. */
#include "compile.h"
#include "diag.h"

dt_deferred_t *deferred_take(dt_ctx_t *cx, dt_tok_t end)
{
	dt_deferred_t *s = arena_alloc(&cx->comp->arena, sizeof(*s));

	cx->lex.pos = cx->tok.loc.pos;
	cx->lex.line = cx->tok.loc.line;
	cx->has_ahead = false;
	s->lex = cx->lex;
	lex_find(cx, *lex_tok_text(end));
	s->lex.end = cx->lex.pos;
	parse_advance(cx);
	return s;
}

void deferred_mark(dt_ctx_t *cx, dt_reading_t *now)
{
	*now = (dt_reading_t){
		.lex = cx->lex,
		.tok = cx->tok,
		.ahead = cx->ahead,
		.has_ahead = cx->has_ahead,
		.in_pred = cx->in_pred,
		.library = cx->library,
		.depth = cx->depth,
		.globals = cx->comp->globals.n,
		.globals_shown = cx->comp->globals.shown,
		.types_shown = cx->comp->types.shown,
		.ast = cx->ast,
	};
}

void deferred_reset(dt_ctx_t *cx, const dt_reading_t *before)
{
	cx->lex = before->lex;
	cx->tok = before->tok;
	cx->ahead = before->ahead;
	cx->has_ahead = before->has_ahead;
	cx->in_pred = before->in_pred;
	cx->library = before->library;
	cx->depth = before->depth;
	cx->ast = before->ast;
	cx->comp->globals.shown = before->globals_shown;
	cx->comp->types.shown = before->types_shown;
	scope_rollback(&cx->comp->globals, before->globals);
}

/* While deferred text is read, later declarations are hidden from it, except its own names. */
void deferred_libraries_end(struct dt_compiler *comp)
{
	comp->globals.hidden = comp->globals.n;
	comp->types.hidden = comp->types.n;
}

void deferred_begin(dt_ctx_t *cx, const dt_deferred_t *s, dt_reading_t *before)
{
	deferred_mark(cx, before);
	cx->lex = s->lex;
	cx->ast = &cx->comp->arena;
	cx->library = true;
	cx->comp->globals.shown = cx->comp->globals.n;
	cx->comp->types.shown = cx->comp->types.n;
	cx->has_ahead = cx->in_pred = false;
	parse_advance(cx);
	parse_enter(cx);
}

void deferred_end(dt_ctx_t *cx, const dt_reading_t *before)
{
	if (cx->tok.kind != TOK_EOF)
		diag_unexpected(cx, "end of the definition", "write ; here");
	deferred_reset(cx, before);
}

void deferred_made(dt_ctx_t *cx, const void **what)
{
	dt_made_t *m = arena_alloc(&cx->comp->arena, sizeof(*m));

	m->what = what;
	m->next = cx->comp->made;
	cx->comp->made = m;
}
