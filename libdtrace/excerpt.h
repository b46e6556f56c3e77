/* SPDX-License-Identifier: MIT */
/* excerpt.h - shows a location in a text: its line, and a caret below it. */
#ifndef DT_EXCERPT_H
#define DT_EXCERPT_H

#include "arena.h"

#define EXCERPT_COLUMNS 100 /* of a line; longer lines are cut around the location */

/*
 * Return "LINE\n   ^" for the location pos in text, which ends with NUL, and set *column to that of
 * the caret, from 0 on. The result is in the arena, whose member nomem must be set.
 */
const char *excerpt_make(struct arena *arena, const char *text, const char *pos, int *column);

#endif
