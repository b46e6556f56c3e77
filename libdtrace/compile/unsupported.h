/* SPDX-License-Identifier: MIT */
/* unsupported.h - names of other DTraces that are not here: why not, and what there is instead. */
#ifndef DT_UNSUPPORTED_H
#define DT_UNSUPPORTED_H

#include <stdbool.h>

typedef struct dt_unsupported {
	const char *name;
	const char *reason;	/* why it is not here, as the end of a message */
	const char *instead;	/* what to do */
} dt_unsupported_t;

/* unsupported_name - a function or variable of that name; NULL if no DTrace has it. */
const dt_unsupported_t *unsupported_name(const char *name);
/*
 * unsupported_type - the type of Linux for what a typedef or a tag stands for in the kernels that
 * other DTraces trace; NULL if there is none.
 */
const char *unsupported_type(const char *name);
/*
 * unsupported_symbol - what to do instead of reading a variable of their kernels; NULL if it is
 * none.
 */
const char *unsupported_symbol(const char *name);

/* unsupported_provider - is it a provider of other DTraces that this one does not have? */
bool unsupported_provider(const char *name);

#endif
