/* SPDX-License-Identifier: MIT */
/* excerpt.c - shows a location in a text: its line, and a caret below it. */
#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#include "excerpt.h"

#define EXCERPT_BEFORE 60 /* columns before the location in a line that is cut */
#define EXCERPT_TAB    8

/* A character of the line. */
typedef struct dt_glyph {
	size_t len;  /* bytes */
	int columns; /* 0: it is shown with the one before */
	bool shown;  /* as it is; else as a dot */
} dt_glyph_t;

/* Return the character at p. */
static dt_glyph_t excerpt_glyph(const char *p, const char *end, int column)
{
	mbstate_t state = {0};
	wchar_t c = 0;
	size_t n;

	if (*p == '\t')
		return (dt_glyph_t){1, EXCERPT_TAB - column % EXCERPT_TAB, true};
	n = mbrtowc(&c, p, (size_t)(end - p), &state);
	if (n == 0 || n > (size_t)(end - p) || wcwidth(c) < 0)
		return (dt_glyph_t){1, 1, false};
	return (dt_glyph_t){n, wcwidth(c), true};
}

/* Return the columns of the characters from start to end. */
static int excerpt_columns(const char *start, const char *end)
{
	int column = 0;

	while (start < end) {
		dt_glyph_t g = excerpt_glyph(start, end, column);

		column += g.columns;
		start += g.len;
	}
	return column;
}

/* A line, the location in it, and capacity for the cut line and for the line below. */
typedef struct dt_excerpt {
	const char *start, *end, *pos;
	char *line, *below;
} dt_excerpt_t;

/* Write the blanks below a character that is before the caret. Return the end. */
static char *excerpt_blank(char *out, char c, int columns)
{
	if (c == '\t')
		*out++ = '\t';
	else
		out = (char *)memset(out, ' ', (size_t)columns) + columns;
	return out;
}

/*
 * Write the columns [from, to) of the line, and a caret. Dots replace the parts that are cut off.
 */
static void excerpt_cut(const dt_excerpt_t *e, int from, int to)
{
	char *out = from ? stpcpy(e->line, "...") : e->line;
	char *below = from ? stpcpy(e->below, "   ") : e->below;
	int column = 0;

	for (const char *p = e->start; p < e->end && column < to;) {
		dt_glyph_t g = excerpt_glyph(p, e->end, column);

		if (column >= from) {
			out = g.shown ? (char *)mempcpy(out, p, g.len) : stpcpy(out, ".");
			below = p < e->pos ? excerpt_blank(below, *p, g.columns) : below;
		}
		column += g.columns;
		p += g.len;
	}
	strcpy(out, column >= to ? "..." : "");
	strcpy(below, "^");
}

/* Cut the line to fit. Return the column of the caret. */
static int excerpt_fit(const dt_excerpt_t *e)
{
	int all = excerpt_columns(e->start, e->end), at = excerpt_columns(e->start, e->pos);
	int from = 0;

	if (all <= EXCERPT_COLUMNS) {
		excerpt_cut(e, 0, all + 1);
		return at;
	}
	if (at > EXCERPT_BEFORE)
		from = at - EXCERPT_BEFORE;
	excerpt_cut(e, from, from + EXCERPT_COLUMNS <= all ? from + EXCERPT_COLUMNS : all + 1);
	return from ? EXCERPT_BEFORE + 3 : at;
}

/* Fit the line in UTF-8, the encoding of programs in every locale. */
static int excerpt_fit_utf8(const dt_excerpt_t *e)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before;
	int column;

	if (!utf8)
		return excerpt_fit(e);
	before = uselocale(utf8);
	column = excerpt_fit(e);
	uselocale(before);
	freelocale(utf8);
	return column;
}

const char *excerpt_make(struct arena *arena, const char *text, const char *pos, int *column)
{
	dt_excerpt_t e = {.start = pos, .end = pos + strcspn(pos, "\n"), .pos = pos};

	while (e.start > text && e.start[-1] != '\n')
		e.start--;
	e.line = arena_alloc(arena, (size_t)(e.end - e.start) + sizeof("......"));
	e.below = arena_alloc(arena, 2 * (size_t)(e.end - e.start) + sizeof("   ^"));
	*column = excerpt_fit_utf8(&e);
	return arena_printf(arena, "%s\n%s", e.line, e.below);
}
