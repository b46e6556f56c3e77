/* SPDX-License-Identifier: MIT */
/* error.c - says what is wrong with a program, where, and what would be right. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compile.h"
#include "excerpt.h"

#define ERROR_MAXTEXT 1024

static const struct {
	const char *tag, *remedy;
} error_kinds[] = {
#define DT_TAG(tag, text, remedy) [tag] = {#tag, remedy},
#include "errors.def"
#undef DT_TAG
};

/* Words of the command line have no lines to count: there the part of the clause is the place. */
static const char *error_place(dt_ctx_t *cx, const dt_loc_t *loc)
{
	if (!cx->script && (!loc || !loc->file))
		return cx->region ? pool_printf(&cx->tmp, "in %s: ", cx->region) : "";
	if (!loc)
		return "";
	if (loc->file && (!cx->file || strcmp(loc->file, cx->file) != 0 || cx->library))
		return pool_printf(&cx->tmp, "\"%s\", line %u: ", loc->file, loc->line);
	return pool_printf(&cx->tmp, "line %u: ", loc->line);
}

/* The line with a caret, if the place is in the text at hand, and the remedy. */
static const char *error_picture(dt_ctx_t *cx, const dt_loc_t *loc, const char *remedy)
{
	const dt_lexer_t *lx = &cx->lex;
	const char *excerpt;
	int column;

	if (!loc || !loc->pos || loc->pos < lx->text || loc->pos > lx->end)
		return pool_printf(&cx->tmp, "\n  %s", remedy);
	excerpt = excerpt_make(&cx->tmp, lx->text, loc->pos, &column);
	return pool_printf(&cx->tmp, "\n%s%s%s", excerpt,
			   column + strlen(remedy) + 2 <= EXCERPT_COLUMNS ? " " : "\n  ", remedy);
}

static const char *error_tag(dt_ctx_t *cx, dt_tag_t tag)
{
	if (!dt_copt(cx->dtp, DT_COPT_ERRTAGS))
		return "";
	return pool_printf(&cx->tmp, "[%s] ", error_kinds[tag].tag);
}

dt_ctx_t *dt_remedy(dt_ctx_t *cx, const char *format, ...)
{
	char text[ERROR_MAXTEXT];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	cx->remedy = pool_strdup(&cx->tmp, text);
	return cx;
}

void dt_error(dt_ctx_t *cx, const dt_loc_t *loc, dt_tag_t tag, const char *format, ...)
{
	const char *remedy = cx->remedy ? cx->remedy : error_kinds[tag].remedy;
	char text[ERROR_MAXTEXT];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	cx->remedy = NULL;
	cx->errtag = tag;
	cx->errtext = pool_printf(&cx->tmp, "%s%s%s%s", error_tag(cx, tag), error_place(cx, loc),
				  text, error_picture(cx, loc, remedy));
	longjmp(cx->fail, 1);
}
