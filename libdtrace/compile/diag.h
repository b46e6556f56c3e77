/* SPDX-License-Identifier: MIT */
/*
 * diag.h - report syntax errors. Every function here calls dt_error (compile.h) with the current
 * token as its location, and does not return.
 */
#ifndef DT_DIAG_H
#define DT_DIAG_H

#include "compile.h"

/* Report that the parser expected something else than the current token. */
void diag_unexpected(dt_ctx_t *cx, const char *wanted, const char *hint) __attribute__((noreturn));
/*
 * Report that punctuation or a keyword is missing; where: the end of the message, as
 * in "after the expression".
 */
void diag_missing(dt_ctx_t *cx, dt_tok_t kind, const char *where) __attribute__((noreturn));
/* Report that a name is missing. wanted: the kind of name. */
void diag_no_name(dt_ctx_t *cx, const char *wanted) __attribute__((noreturn));
/* Report that an expression is missing. */
void diag_no_expr(dt_ctx_t *cx) __attribute__((noreturn));
/* Report that a list has neither a comma nor its closing token here. */
void diag_no_comma(dt_ctx_t *cx, const char *close) __attribute__((noreturn));
/* Report that a probe description is missing. */
void diag_no_desc(dt_ctx_t *cx, const char *wanted) __attribute__((noreturn));
/* Report a statement of C that D does not have; the current token is its keyword. */
void diag_loop(dt_ctx_t *cx) __attribute__((noreturn));
/*
 * Report that the description at loc has neither a predicate nor a body. The lexer
 * stands behind the description.
 */
void diag_no_body(dt_ctx_t *cx, const dt_loc_t *loc, const dtrace_probedesc_t *desc)
	__attribute__((noreturn));

#endif
