/* SPDX-License-Identifier: MIT */
/* error.c - says what is wrong with a program, and where. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compile.h"

#define ERROR_MAXTEXT 1024
#define ERROR_MAXLINE 160 /* characters of a source line to show */

static const char *const error_tags[] = {
#define DT_TAG(tag, text) [tag] = #tag,
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

/* The source line, and a caret below the place; "" if the place is not in the text at hand. */
static const char *error_source(dt_ctx_t *cx, const dt_loc_t *loc)
{
	const dt_lexer_t *lx = &cx->lex;
	const char *start, *end;
	char *line, *caret;
	size_t n;

	if (!loc || !loc->pos || loc->pos < lx->text || loc->pos > lx->end)
		return "";
	for (start = loc->pos;
	     start > lx->text && start[-1] != '\n' && loc->pos - start < ERROR_MAXLINE; start--)
		;
	for (end = loc->pos; end < lx->end && *end != '\n' && end - start < ERROR_MAXLINE; end++)
		;
	n = (size_t)(end - start);
	line = pool_memdup(&cx->tmp, start, n);
	caret = pool_alloc(&cx->tmp, n + 2);
	for (size_t i = 0; i <= n; i++) {
		if (i < n && !isprint((unsigned char)line[i]) && line[i] != '\t')
			line[i] = '.';
		caret[i] = i < n && line[i] == '\t' ? '\t' : ' ';
	}
	strcpy(caret + (loc->pos - start), "^");
	return pool_printf(&cx->tmp, "\n%s\n%s", line, caret);
}

void dt_error(dt_ctx_t *cx, const dt_loc_t *loc, dt_tag_t tag, const char *format, ...)
{
	char text[ERROR_MAXTEXT];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	cx->errtag = tag;
	cx->errtext =
		pool_printf(&cx->tmp, "%s%s%s%s%s%s", dt_copt(cx->dtp, DT_COPT_ERRTAGS) ? "[" : "",
			    dt_copt(cx->dtp, DT_COPT_ERRTAGS) ? error_tags[tag] : "",
			    dt_copt(cx->dtp, DT_COPT_ERRTAGS) ? "] " : "", error_place(cx, loc),
			    text, error_source(cx, loc));
	longjmp(cx->fail, 1);
}
