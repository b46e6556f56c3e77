/* SPDX-License-Identifier: MIT */
/*
 * lexer.h - splits provider files into tokens.
 *
 * Lines that begin with # are no tokens. Line markers set the position, #pragma D attributes is
 * collected, and other lines are skipped: without -C the file may contain directives.
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
 * Split len bytes of text, read from the named file, into lexer->tokens and ->pragmas, whose
 * strings live in the arena. Return 0, or -1 after a message. lexer_free() frees the two arrays in
 * either case.
 */
int lexer_run(struct lexer *lexer, struct arena *arena, struct diag *diag, const char *file,
	      const char *text, size_t len);
/* Free the arrays of tokens and pragmas. */
void lexer_free(struct lexer *lexer);

#endif
