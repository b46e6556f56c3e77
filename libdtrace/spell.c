/* SPDX-License-Identifier: MIT */
/* spell.c - finds the known name that is nearest to an unknown one. */
#include <ctype.h>
#include <string.h>

#include "spell.h"

#define SPELL_MAXLEN 64 /* names that are longer are not compared */

void spell_begin(dt_spell_t *n, const char *wanted)
{
	size_t len = strlen(wanted);

	*n = (dt_spell_t){.wanted = wanted, .limit = len < 3 ? 1 : len < 6 ? 2 : len < 10 ? 3 : 4};
}

static size_t spell_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int spell_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * Return the optimal string alignment distance. The rows are those of three prefixes of a: the
 * current one and the two before.
 */
static size_t spell_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][SPELL_MAXLEN + 1], *row = rows[0], *before = rows[1], *older = rows[2];

	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *spare = older;

		older = before;
		before = row;
		row = spare;
		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = before[j - 1] + !spell_same(a[i - 1], b[j - 1]);
			row[j] = spell_min(row[j], spell_min(before[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && spell_same(a[i - 1], b[j - 2]) &&
			    spell_same(a[i - 2], b[j - 1]))
				row[j] = spell_min(row[j], older[j - 2] + 1);
		}
	}
	return row[nb];
}

/* Return whether a is meant rather than b, which is as near, in whatever order they are tried. */
static int spell_before(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);

	return na != nb ? na > nb : strcmp(a, b) < 0;
}

void spell_try(dt_spell_t *n, const char *name)
{
	size_t len = strlen(name), wanted = strlen(n->wanted), distance;
	size_t most = n->name ? n->distance : n->limit - 1;

	if (len > SPELL_MAXLEN || wanted > SPELL_MAXLEN ||
	    (len > wanted ? len - wanted : wanted - len) > most)
		return;
	distance = spell_distance(n->wanted, wanted, name, len);
	if (distance > most || distance >= len)
		return;
	if (n->name && distance == n->distance && !spell_before(name, n->name))
		return;
	n->name = name;
	n->distance = distance;
}
