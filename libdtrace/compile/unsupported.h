/* SPDX-License-Identifier: MIT */
/*
 * unsupported.h - names of other DTraces that do not exist here, with the reason or a substitute.
 */
#ifndef DT_UNSUPPORTED_H
#define DT_UNSUPPORTED_H

#include <stddef.h>

typedef struct dt_unsupported {
	const char *name;
	const char *reason;  /* why it is not here, as the end of a message */
	const char *instead; /* what to do */
} dt_unsupported_t;

/* Return what is known of a function or variable that other DTraces have; NULL if none has it. */
const dt_unsupported_t *unsupported_name(const char *name);
/*
 * Return the type of Linux for a typedef or a tag of the kernels that other DTraces trace; NULL if
 * there is none.
 */
const char *unsupported_type(const char *name);
/*
 * Return the tag that the kernel has for a structure of C programs; NULL if there is none. Programs
 * pass the same members in the same places.
 */
const char *unsupported_tag(const char *name);
/*
 * Return what to use for memory that was copied from a process, where the kernel's structure of the
 * program's name has another layout; NULL for other tags.
 */
const char *unsupported_copy(const char *tag);
/*
 * Return what to use instead of a member that the structure in place of tag has on other systems,
 * as threads have t_procp; NULL for other names.
 */
const char *unsupported_member(const char *tag, const char *name);
/*
 * Return what to do instead of reading a variable of these kernels; NULL for other names.
 */
const char *unsupported_symbol(const char *name);

/*
 * Return what to trace instead of a system call of another system, written to text, which has len
 * bytes; NULL for other names.
 */
const char *unsupported_call(const char *name, char *text, size_t len);

/*
 * Return why a provider that there is here too has no probe of that name, and what to use instead;
 * NULL for other names.
 */
const char *unsupported_probe(const char *provider, const char *name);

/*
 * Return what to use instead of a provider of other DTraces that this one does not have, with or
 * without a process ID; an empty string if there is nothing, NULL for other names.
 */
const char *unsupported_provider(const char *name);

#endif
