/* SPDX-License-Identifier: MIT */
/*
 * syntax.h - syntax errors: what stands where something else is wanted, and what would be right.
 * None of these functions returns.
 */
#ifndef DT_SYNTAX_H
#define DT_SYNTAX_H

#include "compile.h"

/* syntax_unexpected - the token at hand is not what was wanted; and the remedy. */
void syntax_unexpected(dt_ctx_t *cx, const char *wanted, const char *remedy)
	__attribute__((noreturn));
/* syntax_missing - likewise where punctuation or a keyword was wanted. */
void syntax_missing(dt_ctx_t *cx, dt_tok_t kind, const char *where) __attribute__((noreturn));
/* syntax_no_name, syntax_no_expr - likewise a name; an expression. */
void syntax_no_name(dt_ctx_t *cx, const char *wanted) __attribute__((noreturn));
void syntax_no_expr(dt_ctx_t *cx) __attribute__((noreturn));
/* syntax_no_comma - likewise a comma, or what closes a list. */
void syntax_no_comma(dt_ctx_t *cx, const char *close) __attribute__((noreturn));
/* syntax_no_desc - likewise the description of a probe. */
void syntax_no_desc(dt_ctx_t *cx, const char *wanted) __attribute__((noreturn));
/* syntax_loop - the word at hand begins a statement that C has and D has not. */
void syntax_loop(dt_ctx_t *cx) __attribute__((noreturn));
/*
 * syntax_bare_desc - the description at loc has neither predicate nor body; what follows it is next to
 * be read.
 */
void syntax_bare_desc(dt_ctx_t *cx, const dt_loc_t *loc, const dtrace_probedesc_t *desc)
	__attribute__((noreturn));

#endif
