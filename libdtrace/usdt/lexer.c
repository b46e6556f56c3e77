/* SPDX-License-Identifier: MIT */
/* lexer.c - splits provider files into tokens. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "bytes.h"
#include "lexer.h"

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$';
}

static bool is_name(char c)
{
	return is_name_start(c) || isdigit((unsigned char)c);
}

static int lexer_error(struct lexer *lexer, unsigned int line, const char *at, const char *text)
{
	diag_error(lexer->diag, "%s:%u: %s", lexer->file, line, text);
	diag_line(lexer->diag, lexer->text, lexer->end, at);
	return -1;
}

static void lexer_add(struct lexer *lexer, enum token_kind kind, const char *start)
{
	struct token *tokens = array_grow(lexer->tokens, lexer->ntokens, sizeof(*tokens));
	const char *text = arena_memdup(lexer->arena, start, (size_t)(lexer->at - start));

	if (tokens)
		lexer->tokens = tokens;
	if (!tokens || !text) {
		lexer->nomem = true;
		return;
	}
	if (kind == TOKEN_END)
		start = lexer->tail;
	tokens[lexer->ntokens++] = (struct token){kind, text, lexer->file, lexer->line, start};
	lexer->tail = lexer->at;
}

/* Skip to the end of the line; a backslash at its end joins the next line. */
static void lexer_rest_of_line(struct lexer *lexer)
{
	for (; lexer->at < lexer->end && *lexer->at != '\n'; lexer->at++) {
		if (*lexer->at == '\\' && lexer->end - lexer->at > 1 && lexer->at[1] == '\n') {
			lexer->at++;
			lexer->line++;
		}
	}
}

/* If the line continues with this word, skip it with the following blanks. */
static bool line_word(const char **at, const char *end, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(end - *at) < len || memcmp(*at, word, len) ||
	    ((size_t)(end - *at) > len && is_name((*at)[len])))
		return false;
	for (*at += len; *at < end && (**at == ' ' || **at == '\t');)
		++*at;
	return true;
}

static void lexer_pragma(struct lexer *lexer, const char *at, const char *end)
{
	struct pragma *pragmas;

	if (!line_word(&at, end, "D") || !line_word(&at, end, "attributes"))
		return;
	pragmas = array_grow(lexer->pragmas, lexer->npragmas, sizeof(*pragmas));
	if (pragmas)
		lexer->pragmas = pragmas;
	if (pragmas) {
		pragmas += lexer->npragmas;
		*pragmas = (struct pragma){arena_memdup(lexer->arena, at, (size_t)(end - at)),
					   lexer->file, lexer->line};
	}
	if (!pragmas || !pragmas->text)
		lexer->nomem = true;
	else
		lexer->npragmas++;
}

/* Read a line marker: # 12 "file.d" or #line 12 "file.d". */
static void lexer_marker(struct lexer *lexer, const char *at, const char *end)
{
	unsigned long line = 0;
	const char *quote;

	for (; at < end && isdigit((unsigned char)*at); at++)
		if (line < 100000000)
			line = line * 10 + (unsigned long)(*at - '0');
	lexer->line = (unsigned int)line - 1;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	quote = at < end && *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
	if (!quote)
		return;
	lexer->file = arena_memdup(lexer->arena, at + 1, (size_t)(quote - at - 1));
	if (!lexer->file) {
		lexer->nomem = true;
		lexer->file = "";
	}
}

/* Skip or read a line that begins with #. */
static void lexer_directive(struct lexer *lexer)
{
	const char *at = lexer->at + 1, *end;

	lexer_rest_of_line(lexer);
	end = lexer->at;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (line_word(&at, end, "pragma")) {
		lexer_pragma(lexer, at, end);
		return;
	}
	line_word(&at, end, "line");
	if (at < end && isdigit((unsigned char)*at))
		lexer_marker(lexer, at, end);
}

static int lexer_comment(struct lexer *lexer)
{
	unsigned int line = lexer->line;
	const char *start = lexer->at;

	if (lexer->at[1] == '/') {
		lexer_rest_of_line(lexer);
		return 0;
	}
	for (lexer->at += 2; lexer->end - lexer->at > 1; lexer->at++) {
		if (lexer->at[0] == '*' && lexer->at[1] == '/') {
			lexer->at += 2;
			return 0;
		}
		lexer->line += *lexer->at == '\n';
	}
	return lexer_error(lexer, line, start, "this comment has no end: end it by */");
}

/* Read a string or character constant with its quotes. */
static int lexer_string(struct lexer *lexer)
{
	const char *start = lexer->at++;

	while (lexer->at < lexer->end && *lexer->at != *start && *lexer->at != '\n')
		lexer->at +=
			*lexer->at == '\\' && lexer->end - lexer->at > 1 && lexer->at[1] != '\n'
				? 2
				: 1;
	if (lexer->at >= lexer->end || *lexer->at != *start)
		return lexer_error(lexer, lexer->line, start,
				   "this string has no end: close it with \"");
	lexer->at++;
	lexer_add(lexer, TOKEN_STRING, start);
	return 0;
}

static void lexer_word(struct lexer *lexer)
{
	const char *start = lexer->at;
	enum token_kind kind = is_name_start(*start) ? TOKEN_NAME : TOKEN_NUMBER;

	while (lexer->at < lexer->end && is_name(*lexer->at))
		lexer->at++;
	lexer_add(lexer, kind, start);
}

static void lexer_punct(struct lexer *lexer)
{
	const char *start = lexer->at++;

	if (lexer->end - start >= 3 && !memcmp(start, "...", 3))
		lexer->at = start + 3;
	lexer_add(lexer, TOKEN_PUNCT, start);
}

/* Read the next blanks, comment, directive or token. */
static int lexer_step(struct lexer *lexer)
{
	char c = *lexer->at, next = lexer->end - lexer->at > 1 ? lexer->at[1] : '\0';
	bool line_start = lexer->line_start;

	if (c == '\n') {
		lexer->line++;
		lexer->line_start = true;
		lexer->at++;
		return 0;
	}
	if (isspace((unsigned char)c)) {
		lexer->at++;
		return 0;
	}
	if (c == '/' && (next == '/' || next == '*'))
		return lexer_comment(lexer);
	lexer->line_start = false;
	if (c == '#' && line_start)
		lexer_directive(lexer);
	else if (c == '"' || c == '\'')
		return lexer_string(lexer);
	else if (is_name(c))
		lexer_word(lexer);
	else if (c)
		lexer_punct(lexer);
	else
		return lexer_error(lexer, lexer->line, lexer->at,
				   "a NUL byte: this is not a provider file");
	return 0;
}

int lexer_run(struct lexer *lexer, struct arena *arena, struct diag *diag, const char *file,
	      const char *text, size_t len)
{
	*lexer = (struct lexer){.arena = arena,
				.diag = diag,
				.text = text,
				.at = text,
				.tail = text,
				.end = text + len,
				.file = file,
				.line = 1,
				.line_start = true};
	while (lexer->at < lexer->end && !lexer->nomem)
		if (lexer_step(lexer))
			return -1;
	lexer_add(lexer, TOKEN_END, lexer->at);
	return lexer->nomem ? diag_nomem(diag) : 0;
}

void lexer_free(struct lexer *lexer)
{
	free(lexer->tokens);
	free(lexer->pragmas);
	lexer->tokens = NULL;
	lexer->pragmas = NULL;
}
