/* SPDX-License-Identifier: MIT */
/* spell.h - finds the known name that is nearest to an unknown one. (spell.c) */
#ifndef DT_SPELL_H
#define DT_SPELL_H

#include <stddef.h>

typedef struct dt_spell {
	const char *wanted;
	const char *name; /* the nearest so far, of several the longest; NULL: none is near */
	size_t distance;  /* mistakes between the two */
	size_t limit;	  /* mistakes that are one too many while there is none */
} dt_spell_t;

/* Begin a search. wanted is borrowed until its end. */
void spell_begin(dt_spell_t *n, const char *wanted);
/*
 * Try a known name, which is borrowed until the end of the search. A mistake is a letter too many,
 * too few, or another one, or two letters that are swapped. Upper and lower case are the same.
 */
void spell_try(dt_spell_t *n, const char *name);

#endif
