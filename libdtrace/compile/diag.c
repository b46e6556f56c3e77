/* SPDX-License-Identifier: MIT */
/* diag.c - report errors in a program: what is wrong, where, and a hint at what would be right. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "../excerpt.h"

#define DIAG_MAXTEXT 1024

static const struct {
	const char *tag, *hint;
} diag_kinds[] = {
#define DT_TAG(tag, text, hint) [tag] = {#tag, hint},
#include "errors.def"
#undef DT_TAG
};

/*
 * Return the text for the location of an error. The words of a command line have no line numbers:
 * there the location is the part of the clause.
 */
static const char *diag_location(dt_ctx_t *cx, const dt_loc_t *loc)
{
	if (!cx->script && (!loc || !loc->file))
		return cx->part ? arena_printf(&cx->tmp, "in %s: ", cx->part) : "";
	if (!loc)
		return "";
	if (loc->file && (!cx->file || strcmp(loc->file, cx->file) != 0 || cx->library))
		return arena_printf(&cx->tmp, "\"%s\", line %u: ", loc->file, loc->line);
	return arena_printf(&cx->tmp, "line %u: ", loc->line);
}

/* Return the line with a caret, if the location is in the current text, and the hint. */
static const char *diag_picture(dt_ctx_t *cx, const dt_loc_t *loc, const char *hint)
{
	const dt_lexer_t *lx = &cx->lex;
	const char *excerpt;
	int column;

	if (!loc || !loc->pos || loc->pos < lx->text || loc->pos > lx->end)
		return arena_printf(&cx->tmp, "\n  %s", hint);
	excerpt = excerpt_make(&cx->tmp, lx->text, loc->pos, &column);
	return arena_printf(&cx->tmp, "\n%s%s%s", excerpt,
			    column + strlen(hint) + 2 <= EXCERPT_COLUMNS ? " " : "\n  ", hint);
}

static const char *diag_tag(dt_ctx_t *cx, dt_tag_t tag)
{
	if (!dt_copt(cx->dtp, DT_COPT_ERRTAGS))
		return "";
	return arena_printf(&cx->tmp, "[%s] ", diag_kinds[tag].tag);
}

dt_ctx_t *dt_hint(dt_ctx_t *cx, const char *format, ...)
{
	char text[DIAG_MAXTEXT];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	cx->hint = arena_strdup(&cx->tmp, text);
	return cx;
}

const char *dt_tag_hint(dt_tag_t tag)
{
	return diag_kinds[tag].hint;
}

void dt_error(dt_ctx_t *cx, const dt_loc_t *loc, dt_tag_t tag, const char *format, ...)
{
	const char *hint = cx->hint ? cx->hint : diag_kinds[tag].hint;
	char text[DIAG_MAXTEXT];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	cx->hint = NULL;
	cx->errtag = tag;
	cx->message = arena_printf(&cx->tmp, "%s%s%s%s", diag_tag(cx, tag), diag_location(cx, loc),
				   text, diag_picture(cx, loc, hint));
	longjmp(cx->fail, 1);
}

static bool diag_ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

char *dt_errors(dt_ctx_t *cx)
{
	if (!cx->errors || !cx->message)
		return cx->errors ? cx->errors : cx->message;
	if (diag_ends_with(cx->errors, cx->message))
		return cx->errors;
	return arena_printf(&cx->tmp, "%s\n%s", cx->errors, cx->message);
}

/* ---- syntax errors ---- */

/* Return the text of the current token for a message. */
static const char *diag_token(dt_ctx_t *cx)
{
	const dt_token_t *tok = &cx->tok;

	switch (tok->kind) {
	case TOK_EOF:
		return "end of input";
	case TOK_INT:
		return arena_printf(&cx->tmp, "\"%lld\"", (long long)tok->value);
	case TOK_STRING:
		return arena_printf(&cx->tmp, "\"%.20s\"", tok->str);
	case TOK_IDENT:
		return arena_printf(&cx->tmp, "\"%.40s\"", tok->str);
	case TOK_AGG:
		return arena_printf(&cx->tmp, "\"@%.40s\"", tok->str);
	default:
		return arena_printf(&cx->tmp, "\"%s\"", lex_tok_text(tok->kind));
	}
}

void diag_unexpected(dt_ctx_t *cx, const char *wanted, const char *hint)
{
	dt_error(dt_hint(cx, "%s", hint), &cx->tok.loc, D_SYNTAX,
		 "syntax error near %s: %s expected", diag_token(cx), wanted);
}

void diag_missing(dt_ctx_t *cx, dt_tok_t kind, const char *where)
{
	const char *text = lex_tok_text(kind);

	diag_unexpected(cx, arena_printf(&cx->tmp, "'%s' %s", text, where),
			arena_printf(&cx->tmp, "write %s %s", text,
				     cx->tok.kind == TOK_EOF ? "here" : "before this"));
}

void diag_no_name(dt_ctx_t *cx, const char *wanted)
{
	if (cx->tok.kind >= TOK_KW_FIRST)
		diag_unexpected(cx, wanted,
				arena_printf(&cx->tmp, "%s is a keyword of D: choose another name",
					     lex_tok_text(cx->tok.kind)));
	diag_unexpected(cx, wanted,
			"a name has letters, digits and _, and does not begin with a digit");
}

/* Programmers of C most often write types and loops within a clause. */
void diag_no_expr(dt_ctx_t *cx)
{
	dt_tok_t kind = cx->tok.kind;

	if (kind >= TOK_KW_FIRST && decl_token(cx, &cx->tok))
		diag_unexpected(cx, "expression",
				"declare variables before the clause, as in this int x;");
	if (kind == TOK_ELSE)
		diag_unexpected(cx, "expression", "write if (x) { ... } else { ... }");
	if (kind >= TOK_KW_FIRST)
		diag_no_name(cx, "expression");
	diag_unexpected(cx, "expression", "write a variable, a constant or a call of a function");
}

void diag_no_comma(dt_ctx_t *cx, const char *close)
{
	diag_unexpected(
		cx, arena_printf(&cx->tmp, "',' or '%s'", close),
		arena_printf(&cx->tmp, "write %s before this, or , between two values", close));
}

static const char *diag_instead_of_loop(dt_tok_t kind)
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

void diag_loop(dt_ctx_t *cx)
{
	dt_error(dt_hint(cx, "%s", diag_instead_of_loop(cx->tok.kind)), &cx->tok.loc, D_SYNTAX,
		 "D has no '%s' statement: every clause must end", lex_tok_text(cx->tok.kind));
}

void diag_no_desc(dt_ctx_t *cx, const char *wanted)
{
	if (cx->tok.kind == TOK_RBRACE)
		diag_unexpected(cx, wanted, "remove it: there is no { for it");
	diag_unexpected(cx, wanted, "write provider:module:function:name, as in profile:::tick-1s");
}

/* A word before a name or a star is reported as an unknown type. */
void diag_no_body(dt_ctx_t *cx, const dt_loc_t *loc, const dtrace_probedesc_t *desc)
{
	char after, *word, c = lex_peek_char(cx);
	bool type;

	if (c == '*' || c == '_' || isalpha((unsigned char)c)) {
		if (dt_probe_args(cx->dtp, desc, NULL, 0) >= 0) {
			parse_advance(cx);
			diag_unexpected(cx, "'/' or '{'", "write { before the statements");
		}
		cx->lex.pos = loc->pos;
		cx->lex.line = loc->line;
		word = lex_word(cx, &after, &type);
		if (*word && after != ':')
			decl_no_type(cx, loc, word);
	}
	dt_error(dt_hint(cx, "write { } after it to trace each firing"), loc, D_SYNTAX,
		 "a probe description in a file needs a predicate or a body");
}
