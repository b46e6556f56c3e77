/* SPDX-License-Identifier: MIT */
/*
 * snippet.h - stretches of a D library that are read when they are first needed: the values of
 * inlines, the inputs and members of translators. So a library may name many types, and only those
 * that a program uses are looked for; and what it says of things that this kernel does not have
 * does no harm.
 */
#ifndef DT_SNIPPET_H
#define DT_SNIPPET_H

#include "lex.h"

struct dt_ctx;
struct dt_compiler;

typedef struct dt_snippet {
	dt_lexer_t lex;			/* before its first token; ends behind its last */
} dt_snippet_t;

/* What was being read before a snippet. */
typedef struct dt_reading {
	dt_lexer_t lex;
	dt_token_t tok, ahead;
	bool has_ahead, in_pred, library;
	uint32_t depth;
	uint32_t globals;		/* names that there were */
	uint32_t globals_shown, types_shown;
	struct dt_pool *ast;
} dt_reading_t;

/*
 * snippet_take - the text from the token at hand up to a token of that kind outside of all
 * brackets, which is then at hand. In the compiler's memory.
 */
dt_snippet_t *snippet_take(struct dt_ctx *cx, dt_tok_t end);
/*
 * snippet_begin - read from a snippet, whose first token is then at hand; names are those of the
 * libraries, whatever programs have declared. Nodes and names made from now on last as long as the
 * compiler. A snippet that needs itself is nested too deep. snippet_end - read on where that began;
 * names declared since are forgotten.
 */
void snippet_begin(struct dt_ctx *cx, const dt_snippet_t *s, dt_reading_t *before);
void snippet_end(struct dt_ctx *cx, const dt_reading_t *before);
/* snippet_mark, snippet_reset - what is being read, as snippet_begin and snippet_end do it. */
void snippet_mark(struct dt_ctx *cx, dt_reading_t *now);
void snippet_reset(struct dt_ctx *cx, const dt_reading_t *before);

/* snippet_libraries_end - all names until now are those of libraries. */
void snippet_libraries_end(struct dt_compiler *comp);

/* What has been made of a snippet during a compilation: forgotten again if that fails. */
typedef struct dt_made {
	const void **what;		/* NULL means: not made */
	struct dt_made *next;
} dt_made_t;

/* snippet_made - *what, of the compiler's memory, has just been made. */
void snippet_made(struct dt_ctx *cx, const void **what);

#endif
