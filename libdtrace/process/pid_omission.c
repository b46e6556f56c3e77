/* SPDX-License-Identifier: MIT */
/*
 * pid_omission.c - what a description stands for but has no probe, so that the user is told: the
 * first of each kind by name, the others by number.
 */
#include <stdarg.h>
#include <string.h>
#include "pid_impl.h"

#define MAXNAMED 8

void pid_omit(struct pid_omission *om, const char *format, ...)
{
	size_t len = strlen(om->names);
	va_list ap;

	if (om->n++ >= MAXNAMED)
		return;
	len += snprintf(om->names + len, sizeof(om->names) - len, "%s", len > 0 ? ", " : "");
	if (len >= sizeof(om->names))
		return;
	va_start(ap, format);
	vsnprintf(om->names + len, sizeof(om->names) - len, format, ap);
	va_end(ap);
}

/* Nothing is told of none. */
static void omission_tell(dtrace_hdl_t *dtp, pid_t pid, const char *desc,
			  const struct pid_omission *om, const char *before, const char *thing,
			  const char *what)
{
	char text[DTRACE_FULLNAMELEN + sizeof(om->names) + 160], more[32] = "";

	if (om->n == 0)
		return;
	if (om->n > MAXNAMED)
		snprintf(more, sizeof(more), " and %lu more", om->n - MAXNAMED);
	snprintf(text, sizeof(text), "%s: %s %lu %s%s%s: %s%s", desc, before, om->n, thing,
		 om->n == 1 ? "" : "s", what, om->names, more);
	pid_tell(dtp, pid, text);
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
