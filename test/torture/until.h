/* SPDX-License-Identifier: MIT */
/*
 * until.h - how long a program tortures: for a number of seconds, and then until enough has
 * happened. So a slow machine needs more time, but does not fail.
 */
#ifndef TORTURE_UNTIL_H
#define TORTURE_UNTIL_H

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define UNTIL_MOST   210 /* seconds after the least time in which enough must happen */
#define UNTIL_FAILED 4	 /* status of a program if not enough has happened */

/* The times before which a program does not stop, and at which it stops. */
struct until {
	time_t least, most;
};

static inline struct until until_begin(const char *seconds)
{
	time_t least = time(NULL) + atoi(seconds);

	return (struct until){least, least + UNTIL_MOST};
}

/* until_over - return whether to stop. enough: whether enough has happened. */
static inline bool until_over(const struct until *until, bool enough)
{
	time_t now = time(NULL);

	return now >= until->most || (enough && now >= until->least);
}

#endif
