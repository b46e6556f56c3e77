/* SPDX-License-Identifier: MIT */
/* diag.c - messages of dtrace -h and dtrace -G to the person who runs them. */
#include <stdarg.h>
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
