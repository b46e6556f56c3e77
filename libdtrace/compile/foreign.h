/* SPDX-License-Identifier: MIT */
/* foreign.h - names of other DTraces that are not here: why not, and what there is instead. */
#ifndef DT_FOREIGN_H
#define DT_FOREIGN_H

#include <stdbool.h>

typedef struct dt_foreign {
	const char *name;
	const char *reason;	/* why it is not here, as the end of a message */
	const char *instead;	/* what to do */
} dt_foreign_t;

/* foreign_name - a function or variable of that name; NULL if no DTrace has it. */
const dt_foreign_t *foreign_name(const char *name);
/*
 * foreign_type - the type of Linux for what a typedef or a tag stands for in the kernels that other
 * DTraces trace; NULL if there is none.
 */
const char *foreign_type(const char *name);
/* foreign_symbol - what to do instead of reading a variable of their kernels; NULL if it is none. */
const char *foreign_symbol(const char *name);

/* foreign_provider - is it a provider of other DTraces that this one does not have? */
bool foreign_provider(const char *name);

#endif
