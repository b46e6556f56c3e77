/* SPDX-License-Identifier: MIT */
/* diag.c - prints the messages of dtrace -h and dtrace -G. */
#include <stdarg.h>
#include <string.h>
#include "../excerpt.h"
#include "diag.h"

static void diag_say(struct diag *diag, const char *kind, const char *format, va_list args)
{
	fprintf(diag->out, "dtrace: %s", kind);
	vfprintf(diag->out, format, args);
	fputc('\n', diag->out);
}

int diag_error(struct diag *diag, const char *format, ...)
{
	va_list args;

	if (diag->errors++ >= DIAG_MAX)
		return -1;
	va_start(args, format);
	diag_say(diag, "", format, args);
	va_end(args);
	return -1;
}

static const char *diag_line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline : end;
}

static const char *diag_line_start(const char *at, const char *text)
{
	while (at > text && at[-1] != '\n')
		at--;
	return at;
}

/* Print the line [start, end) with a caret below at, if there is memory for it. */
static void diag_draw(FILE *out, const char *start, const char *end, const char *at)
{
	const size_t before = (size_t)(at - start), len = (size_t)(end - start);
	struct arena arena = {0};
	jmp_buf nomem;
	char *line;
	int column;

	arena.nomem = &nomem;
	if (setjmp(nomem) == 0) {
		line = arena_memdup(&arena, start, len);
		fprintf(out, "%s\n", excerpt_make(&arena, line, line + before, &column));
	}
	arena_free(&arena);
}

void diag_line(struct diag *diag, const char *text, const char *end, const char *at)
{
	if (diag->errors <= DIAG_MAX)
		diag_draw(diag->out, diag_line_start(at, text), diag_line_end(at, end), at);
}

int diag_nomem(struct diag *diag)
{
	return diag_error(diag, "out of memory");
}

void diag_remark(struct diag *diag, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_say(diag, "warning: ", format, args);
	va_end(args);
}

void diag_note(struct diag *diag, const char *format, ...)
{
	va_list args;

	if (!diag->verbose)
		return;
	va_start(args, format);
	diag_say(diag, "", format, args);
	va_end(args);
}

void diag_end(struct diag *diag)
{
	if (diag->errors > DIAG_MAX)
		fprintf(diag->out, "dtrace: and %u more errors\n", diag->errors - DIAG_MAX);
}
