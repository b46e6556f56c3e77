/* SPDX-License-Identifier: MIT */
/*
 * lexer.h - provider files as tokens.
 *
 * A line that begins with # is never text: line markers set the position, #pragma D attributes is
 * collected, and all others are skipped (a file may be full of them: without -C nobody preprocesses
 * it).
 */
#ifndef DT_USDT_LEXER_H
#define DT_USDT_LEXER_H

#include "c_type.h"
#include "diag.h"

struct pragma {
	const char *text; /* what follows "attributes" */
	const char *file;
	unsigned int line;
};

struct lexer {
	struct arena *arena;
	struct diag *diag;
	const char *text; /* all of it */
	const char *at;
	const char *end;
	const char *tail; /* behind the last token */
	const char *file;
	unsigned int line;
	bool line_start; /* only blanks since the line began */
	bool nomem;
	struct token *tokens; /* result: ends with a TOKEN_END */
	size_t ntokens;
	struct pragma *pragmas; /* result */
	size_t npragmas;
};

/*
 * lexer_run - split len bytes of text, read from the file of that name, into lexer->tokens and
 * ->pragmas; the texts of both live in the arena. Returns 0, or -1 after a message. lexer_free
 * releases the two arrays in either case.
 */
int lexer_run(struct lexer *lexer, struct arena *arena, struct diag *diag, const char *file,
	      const char *text, size_t len);
void lexer_free(struct lexer *lexer);

#endif
