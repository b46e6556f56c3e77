// SPDX-License-Identifier: MIT
/*
 * command.c - the words of a -c command: between white space, with quotes around what shall not be
 * split.
 *
 * 'x' and "x" stand for x; between double quotes a backslash takes away the meaning of a double
 * quote or backslash behind it. Elsewhere a backslash means itself, and so does a quote that is not
 * closed.
 */
#include <string.h>

#include "cmd.h"

#define BLANKS " \t\r\n\v\f"

/* The quote that closes the one at p, or NULL. */
static char *quote_end(char *p)
{
	char quote = *p;

	for (p++; *p != '\0' && *p != quote; p++)
		if (quote == '"' && *p == '\\' && (p[1] == '"' || p[1] == '\\'))
			p++;
	return *p == quote ? p : NULL;
}

/* Copy what the quotes at p enclose to out, which is not behind p; the end of what was written. */
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

/* Take the word at p, unquoted in its place; where the text goes on. */
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
