/* SPDX-License-Identifier: MIT */
/* syntax.c - syntax errors: what stands where something else is wanted, and what would be right. */
#include <ctype.h>

#include "syntax.h"

/* How the token at hand is written, as far as a message needs it. */
static const char *syntax_token(dt_ctx_t *cx)
{
	const dt_token_t *tok = &cx->tok;

	switch (tok->kind) {
	case TOK_EOF:
		return "end of input";
	case TOK_INT:
		return pool_printf(&cx->tmp, "\"%lld\"", (long long)tok->value);
	case TOK_STRING:
		return pool_printf(&cx->tmp, "\"%.20s\"", tok->str);
	case TOK_IDENT:
		return pool_printf(&cx->tmp, "\"%.40s\"", tok->str);
	case TOK_AGG:
		return pool_printf(&cx->tmp, "\"@%.40s\"", tok->str);
	default:
		return pool_printf(&cx->tmp, "\"%s\"", lex_tok_text(tok->kind));
	}
}

void syntax_unexpected(dt_ctx_t *cx, const char *wanted, const char *remedy)
{
	dt_error(dt_remedy(cx, "%s", remedy), &cx->tok.loc, D_SYNTAX,
		 "syntax error near %s: %s expected", syntax_token(cx), wanted);
}

void syntax_missing(dt_ctx_t *cx, dt_tok_t kind, const char *where)
{
	const char *text = lex_tok_text(kind);

	syntax_unexpected(cx, pool_printf(&cx->tmp, "'%s' %s", text, where),
			  pool_printf(&cx->tmp, "write %s %s", text,
				      cx->tok.kind == TOK_EOF ? "here" : "before this"));
}

void syntax_no_name(dt_ctx_t *cx, const char *wanted)
{
	if (cx->tok.kind >= TOK_KW_FIRST)
		syntax_unexpected(cx, wanted,
				  pool_printf(&cx->tmp, "%s is a word of D: choose another name",
					      lex_tok_text(cx->tok.kind)));
	syntax_unexpected(cx, wanted, "a name is letters, digits and _, and begins with no digit");
}

/* Types and loops within a clause are what programmers of C write most. */
void syntax_no_expr(dt_ctx_t *cx)
{
	dt_tok_t kind = cx->tok.kind;

	if (kind >= TOK_KW_FIRST && decl_token(cx, &cx->tok))
		syntax_unexpected(cx, "expression",
				  "declare variables before the clause, as in this int x;");
	if (kind == TOK_ELSE)
		syntax_unexpected(cx, "expression", "write if (x) { ... } else { ... }");
	if (kind >= TOK_KW_FIRST)
		syntax_no_name(cx, "expression");
	syntax_unexpected(cx, "expression", "write a variable, a constant or a call of a function");
}

void syntax_no_comma(dt_ctx_t *cx, const char *close)
{
	syntax_unexpected(
		cx, pool_printf(&cx->tmp, "',' or '%s'", close),
		pool_printf(&cx->tmp, "write %s before this, or , between two values", close));
}

static const char *syntax_instead_of_loop(dt_tok_t kind)
{
	switch (kind) {
	case TOK_SWITCH:
		return "write if (x == 1) { ... } else if (x == 2) { ... }";
	case TOK_GOTO:
	case TOK_BREAK:
	case TOK_CONTINUE:
	case TOK_RETURN:
		return "write if (x) { ... } around what is to be left out";
	default:
		return "write the steps one after the other, or let a probe such as tick-1s repeat "
		       "them";
	}
}

void syntax_loop(dt_ctx_t *cx)
{
	dt_error(dt_remedy(cx, "%s", syntax_instead_of_loop(cx->tok.kind)), &cx->tok.loc, D_SYNTAX,
		 "D has no '%s': every clause must come to an end", lex_tok_text(cx->tok.kind));
}

void syntax_no_desc(dt_ctx_t *cx, const char *wanted)
{
	if (cx->tok.kind == TOK_RBRACE)
		syntax_unexpected(cx, wanted, "take it out: there is no { for it");
	syntax_unexpected(cx, wanted,
			  "write provider:module:function:name, as in profile:::tick-1s");
}

/* A word before a name or a star would be a type, if there were one of that name. */
void syntax_bare_desc(dt_ctx_t *cx, const dt_loc_t *loc, const dtrace_probedesc_t *desc)
{
	char after, *word, c = lex_peek_char(cx);
	bool type;

	if (c == '*' || c == '_' || isalpha((unsigned char)c)) {
		if (dt_probe_args(cx->dtp, desc, NULL, 0) >= 0) {
			parse_advance(cx);
			syntax_unexpected(cx, "'/' or '{'", "write { before the statements");
		}
		cx->lex.pos = loc->pos;
		cx->lex.line = loc->line;
		word = lex_word(cx, &after, &type);
		if (*word && after != ':')
			decl_no_type(cx, loc, word);
	}
	dt_error(dt_remedy(cx, "write { } after it, which traces that the probe fires"), loc,
		 D_SYNTAX, "in a file a probe description needs a predicate or a body");
}
