/* SPDX-License-Identifier: MIT */
/*
 * deferred.h - parts of a D library that are parsed when they are first needed: the values of
 * inlines, the inputs and members of translators. So a D library may name many types, of which only
 * those are looked up that a program uses. Names that this kernel does not have do no harm.
 */
#ifndef DT_DEFERRED_H
#define DT_DEFERRED_H

#include "lex.h"

struct dt_ctx;
struct dt_compiler;

typedef struct dt_deferred {
	dt_lexer_t lex; /* before its first token; ends behind its last */
} dt_deferred_t;

/* The parser's state before deferred text. */
typedef struct dt_reading {
	dt_lexer_t lex;
	dt_token_t tok, ahead;
	bool has_ahead, in_pred, library;
	uint32_t depth;
	uint32_t globals; /* names that there were */
	uint32_t globals_shown, types_shown;
	struct arena *ast;
} dt_reading_t;

/*
 * Return the text from the current token to a token of a kind outside of all brackets, which
 * becomes the current one. It is in the compiler's arena.
 */
dt_deferred_t *deferred_take(struct dt_ctx *cx, dt_tok_t end);
/*
 * Begin to parse deferred text; its first token becomes the current one. Names are those of the
 * D libraries, whatever programs have declared. Nodes and names that are made from now on last as
 * long as the compiler. Deferred text that needs itself is nested too deep, which is an error.
 */
void deferred_begin(struct dt_ctx *cx, const dt_deferred_t *s, dt_reading_t *before);
/* Continue where deferred_begin() began, and forget names declared since. */
void deferred_end(struct dt_ctx *cx, const dt_reading_t *before);
/* Note what is being parsed, as deferred_begin() does. */
void deferred_mark(struct dt_ctx *cx, dt_reading_t *now);
/* Continue with what was noted, as deferred_end() does. */
void deferred_reset(struct dt_ctx *cx, const dt_reading_t *before);

/* Note that all names until now are those of D libraries. */
void deferred_libraries_end(struct dt_compiler *comp);

/* The results of a compilation from deferred text. They are forgotten if the compilation fails. */
typedef struct dt_made {
	const void **what; /* NULL means: not made */
	struct dt_made *next;
} dt_made_t;

/* Note that *what, in the compiler's arena, has been made. */
void deferred_made(struct dt_ctx *cx, const void **what);

#endif
