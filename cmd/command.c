// SPDX-License-Identifier: MIT
/*
 * command.c - splits a -c command into words at white space; quoted text is not split.
 *
 * 'x' and "x" stand for x. Between double quotes, a backslash quotes a following double quote or
 * backslash. Elsewhere a backslash stands for itself, as does a quote that is not closed.
 */
#include <string.h>

#include "cmd.h"

#define BLANKS " \t\r\n\v\f"

/* Return the quote that closes the one at p, or NULL. */
static char *quote_end(char *p)
{
	char quote = *p;

	for (p++; *p != '\0' && *p != quote; p++)
		if (quote == '"' && *p == '\\' && (p[1] == '"' || p[1] == '\\'))
			p++;
	return *p == quote ? p : NULL;
}

/* Copy the quoted text at p to out, which is not after p. Return the end of the copy. */
static char *quote_copy(char *out, char *p, const char *end)
{
	bool escapes = *p == '"';

	for (p++; p < end; p++) {
		if (escapes && *p == '\\' && (p[1] == '"' || p[1] == '\\'))
			p++;
		*out++ = *p;
	}
	return out;
}

/* Unquote the word at p in place. Return the start of the remaining text. */
static char *word_take(char *p)
{
	char *out = p, *end;
	bool last;

	while (*p != '\0' && !strchr(BLANKS, *p)) {
		end = *p == '\'' || *p == '"' ? quote_end(p) : NULL;
		if (end) {
			out = quote_copy(out, p, end);
			p = end + 1;
		} else {
			*out++ = *p++;
		}
	}
	last = *p == '\0';
	*out = '\0';
	return last ? p : p + 1;
}

char **command_split(char *text)
{
	char **words = NULL;
	int n = 0;

	for (char *p = text + strspn(text, BLANKS); *p != '\0'; p += strspn(p, BLANKS)) {
		words_add(&words, &n, p);
		p = word_take(p);
	}
	return words;
}
