/* SPDX-License-Identifier: MIT */
/* snippet.c - stretches of a D library that are read when they are first needed. */
#include "compile.h"

static int snippet_nesting(dt_tok_t kind)
{
	switch (kind) {
	case TOK_LPAREN:
	case TOK_LBRACK:
	case TOK_LBRACE:
		return 1;
	case TOK_RPAREN:
	case TOK_RBRACK:
	case TOK_RBRACE:
		return -1;
	default:
		return 0;
	}
}

dt_snippet_t *snippet_take(dt_ctx_t *cx, dt_tok_t end)
{
	dt_snippet_t *s = pool_alloc(&cx->comp->pool, sizeof(*s));
	int depth = 0;

	s->lex = cx->lex;
	s->lex.pos = cx->tok.loc.pos;
	s->lex.line = cx->tok.loc.line;
	s->lex.line_start = false;
	while (cx->tok.kind != end || depth > 0) {
		depth += snippet_nesting(cx->tok.kind);
		if (cx->tok.kind == TOK_EOF || depth < 0)
			parse_unexpected(cx, pool_printf(&cx->tmp, "'%s'", lex_tok_text(end)));
		parse_advance(cx);
	}
	s->lex.end = cx->tok.loc.pos;
	return s;
}

void snippet_mark(dt_ctx_t *cx, dt_reading_t *now)
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
		.ast = cx->ast,
	};
}

void snippet_reset(dt_ctx_t *cx, const dt_reading_t *before)
{
	cx->lex = before->lex;
	cx->tok = before->tok;
	cx->ahead = before->ahead;
	cx->has_ahead = before->has_ahead;
	cx->in_pred = before->in_pred;
	cx->library = before->library;
	cx->depth = before->depth;
	cx->ast = before->ast;
	scope_rollback(&cx->comp->globals, before->globals);
}

void snippet_begin(dt_ctx_t *cx, const dt_snippet_t *s, dt_reading_t *before)
{
	snippet_mark(cx, before);
	cx->lex = s->lex;
	cx->ast = &cx->comp->pool;
	cx->library = true;
	cx->has_ahead = cx->in_pred = false;
	parse_advance(cx);
	parse_enter(cx);
}

void snippet_end(dt_ctx_t *cx, const dt_reading_t *before)
{
	if (cx->tok.kind != TOK_EOF)
		parse_unexpected(cx, "end of the definition");
	snippet_reset(cx, before);
}

void snippet_made(dt_ctx_t *cx, const void **what)
{
	dt_made_t *m = pool_alloc(&cx->comp->pool, sizeof(*m));

	m->what = what;
	m->next = cx->comp->made;
	cx->comp->made = m;
}
