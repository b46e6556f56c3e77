/* SPDX-License-Identifier: MIT */
/* words.c - counts lines and words; a probe fires for each. */
#include <string.h>
#include "words.h"
#include "words_probes.h"

#define BLANKS " \t\n"

static void words_split(struct words *w, char *line)
{
	char *rest, *word = strtok_r(line, BLANKS, &rest);

	for (; word; word = strtok_r(NULL, BLANKS, &rest)) {
		unsigned long length = strlen(word);

		WORDS_WORD(word, length);
		w->words++;
		w->letters += length;
	}
}

struct words words_read(FILE *fp)
{
	struct words w = {0, 0, 0};
	char line[1024];

	while (fgets(line, sizeof(line), fp)) {
		w.lines++;
		WORDS_LINE(w.lines, line);
		words_split(&w, line);
	}
	return w;
}
