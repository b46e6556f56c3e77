/* SPDX-License-Identifier: MIT */
/*
 * deferred.h - stretches of a D library that are read when they are first needed: the values of
 * inlines, the inputs and members of translators. So a library may name many types, and only those
 * that a program uses are looked for; and what it says of things that this kernel does not have
 * does no harm.
 */
#ifndef DT_DEFERRED_H
#define DT_DEFERRED_H

#include "lex.h"

struct dt_ctx;
struct dt_compiler;

typedef struct dt_deferred {
	dt_lexer_t lex;			/* before its first token; ends behind its last */
} dt_deferred_t;

/* What was being read before deferred text. */
typedef struct dt_reading {
	dt_lexer_t lex;
	dt_token_t tok, ahead;
	bool has_ahead, in_pred, library;
	uint32_t depth;
	uint32_t globals;		/* names that there were */
	uint32_t globals_shown, types_shown;
	struct arena *ast;
} dt_reading_t;

/*
 * deferred_take - the text from the current token up to a token of that kind outside of all
 * brackets, which is then current. In the compiler's memory.
 */
dt_deferred_t *deferred_take(struct dt_ctx *cx, dt_tok_t end);
/*
 * deferred_begin - read deferred text, whose first token is then current; names are those of the
 * libraries, whatever programs have declared. Nodes and names made from now on last as long as the
 * compiler. Deferred text that needs itself is nested too deep. deferred_end - read on where that began;
 * names declared since are forgotten.
 */
void deferred_begin(struct dt_ctx *cx, const dt_deferred_t *s, dt_reading_t *before);
void deferred_end(struct dt_ctx *cx, const dt_reading_t *before);
/* deferred_mark, deferred_reset - what is being read, as deferred_begin and deferred_end do it. */
void deferred_mark(struct dt_ctx *cx, dt_reading_t *now);
void deferred_reset(struct dt_ctx *cx, const dt_reading_t *before);

/* deferred_libraries_end - all names until now are those of libraries. */
void deferred_libraries_end(struct dt_compiler *comp);

/* What has been made of deferred text during a compilation: forgotten again if that fails. */
typedef struct dt_made {
	const void **what;		/* NULL means: not made */
	struct dt_made *next;
} dt_made_t;

/* deferred_made - *what, of the compiler's memory, has just been made. */
void deferred_made(struct dt_ctx *cx, const void **what);

#endif
