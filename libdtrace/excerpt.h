/* SPDX-License-Identifier: MIT */
/* excerpt.h - shows a place in a text: its line, and a caret below it. */
#ifndef DT_EXCERPT_H
#define DT_EXCERPT_H

#include "arena.h"

#define EXCERPT_COLUMNS	100	/* of a line; of a longer one what is about the place */

/*
 * excerpt_make - "LINE\n   ^" for the place pos in text, which ends with NUL; *column (from 0) is
 * that of the caret. In the arena, whose member nomem is set.
 */
const char *excerpt_make(struct arena *arena, const char *text, const char *pos, int *column);

#endif
