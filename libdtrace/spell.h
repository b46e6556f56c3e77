/* SPDX-License-Identifier: MIT */
/* spell.h - which of the known names somebody may have meant by one that is not known. */
#ifndef DT_SPELL_H
#define DT_SPELL_H

#include <stddef.h>

typedef struct dt_spell {
	const char *wanted;
	const char *name;	/* the nearest so far; NULL: none is near enough */
	size_t distance;	/* mistakes between the two */
	size_t limit;		/* mistakes that are one too many */
} dt_spell_t;

/* spell_begin - a search for what is near to that name, which must outlive it. */
void spell_begin(dt_spell_t *n, const char *wanted);
/*
 * spell_try - a known name. A mistake is a letter too many, too few, another, or two that are
 * swapped; upper and lower case are the same. The name is kept, not copied.
 */
void spell_try(dt_spell_t *n, const char *name);

#endif
