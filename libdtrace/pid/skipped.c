/* SPDX-License-Identifier: MIT */
/*
 * skipped.c - what a description stands for but has no probe, so that the user is told: all by
 * name, if the description is of one function; else the first of each kind, and how many more.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "impl.h"

#define MAXNAMED 8

/* Room for n more characters, and the end; false without memory. */
static bool omission_grow(struct pid_omission *om, size_t n)
{
	size_t room = 2 * (om->len + n + 1);
	char *names;

	if (om->len + n < om->room)
		return true;
	names = realloc(om->names, room);
	if (names == NULL)
		return false;
	om->names = names;
	om->room = room;
	return true;
}

/* What there is no memory for is counted only. */
void pid_omit(struct pid_omission *om, bool one, const char *format, ...)
{
	char *name;
	va_list ap;
	int n;

	om->n++;
	if (!one && om->n > MAXNAMED)
		return;
	va_start(ap, format);
	n = vasprintf(&name, format, ap);
	va_end(ap);
	if (n == -1)
		return;
	if (omission_grow(om, n + 2)) {
		om->len += sprintf(om->names + om->len, "%s%s", om->len > 0 ? ", " : "", name);
		om->named++;
	}
	free(name);
}

/* Nothing is told of none. */
static void omission_tell(dtrace_hdl_t *dtp, pid_t pid, const char *desc,
			  const struct pid_omission *om, const char *before, const char *thing,
			  const char *what)
{
	char more[80] = "", *text;

	if (om->n > om->named)
		snprintf(more, sizeof(more), " and %lu more (all are named for one function)",
			 om->n - om->named);
	if (om->n > 0 &&
	    asprintf(&text, "%s: %s %lu %s%s%s: %s%s", desc, before, om->n, thing,
		     om->n == 1 ? "" : "s", what, om->names != NULL ? om->names : "", more) != -1) {
		pid_tell(dtp, pid, text);
		free(text);
	}
}

void pid_omissions_tell(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, pid_t pid,
			const struct pid_omissions *left)
{
	char full[DTRACE_FULLNAMELEN];

	dtrace_desc2str(desc, full, sizeof(full));
	omission_tell(dtp, pid, full, &left->unsafe, "only entries in", "function",
		      ", which may have data in their code");
	omission_tell(dtp, pid, full, &left->refused, "without", "instruction",
		      " that the kernel cannot step over");
	omission_tell(dtp, pid, full, &left->debugged, "without", "instruction",
		      " at which a debugger has a breakpoint");
}

void pid_omissions_free(struct pid_omissions *left)
{
	free(left->unsafe.names);
	free(left->refused.names);
	free(left->debugged.names);
	*left = (struct pid_omissions){0};
}
