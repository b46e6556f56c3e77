/* SPDX-License-Identifier: MIT */
/* nearest.c - which of the known names somebody may have meant by one that is not known. */
#include <ctype.h>
#include <string.h>

#include "nearest.h"

#define NEAREST_MAXLEN 64 /* names that are longer are not compared */

void nearest_begin(dt_nearest_t *n, const char *wanted)
{
	size_t len = strlen(wanted);

	*n = (dt_nearest_t){.wanted = wanted,
			    .limit = len < 3	? 1
				     : len < 6	? 2
				     : len < 10 ? 3
						: 4};
}

static size_t nearest_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int nearest_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * The optimal string alignment distance. Rows are those of prefixes of a: of the one at hand, the
 * one before and the one before that.
 */
static size_t nearest_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][NEAREST_MAXLEN + 1], *row = rows[0], *before = rows[1], *older = rows[2];

	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *spare = older;

		older = before;
		before = row;
		row = spare;
		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = before[j - 1] + !nearest_same(a[i - 1], b[j - 1]);
			row[j] = nearest_min(row[j], nearest_min(before[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && nearest_same(a[i - 1], b[j - 2]) &&
			    nearest_same(a[i - 2], b[j - 1]))
				row[j] = nearest_min(row[j], older[j - 2] + 1);
		}
	}
	return row[nb];
}

void nearest_try(dt_nearest_t *n, const char *name)
{
	size_t len = strlen(name), wanted = strlen(n->wanted), distance;

	if (len > NEAREST_MAXLEN || wanted > NEAREST_MAXLEN ||
	    (len > wanted ? len - wanted : wanted - len) >= n->limit)
		return;
	distance = nearest_distance(n->wanted, wanted, name, len);
	if (distance >= n->limit || distance >= len)
		return;
	n->name = name;
	n->distance = distance;
	n->limit = distance;
}
