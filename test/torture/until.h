/* SPDX-License-Identifier: MIT */
/*
 * until.h - how long something is tortured: for its time, and then until enough has happened, so that
 * a slow machine needs longer and nothing else.
 */
#ifndef TORTURE_UNTIL_H
#define TORTURE_UNTIL_H

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define UNTIL_MOST   210 /* seconds after its time in which enough must happen */
#define UNTIL_FAILED 4	 /* status of a program in which it did not */

/* A torture's seconds, given as text, begin now. */
struct until {
	time_t least, most;
};

static inline struct until until_begin(const char *seconds)
{
	time_t least = time(NULL) + atoi(seconds);

	return (struct until){least, least + UNTIL_MOST};
}

/* until_over - whether to stop. enough: whether enough has happened. */
static inline bool until_over(const struct until *until, bool enough)
{
	time_t now = time(NULL);

	return now >= until->most || (enough && now >= until->least);
}

#endif
