/* SPDX-License-Identifier: MIT */
/*
 * clock.h - timers of the user world, run by one thread of the library. (clock.c)
 *
 * The thread exists while there are timers, and takes no signals. One lock protects the list of
 * timers. A caller may hold other locks when it takes this one. The lock is not held while a timer
 * runs.
 */
#ifndef DT_USERLAND_CLOCK_H
#define DT_USERLAND_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct dt_timer {
	/*
	 * The library calls run each time the timer is due. due: when it was due, in ns of
	 * CLOCK_MONOTONIC. Return the minimal pause in ns; with 0 the interval alone decides. run
	 * must not call a function of this header.
	 */
	uint64_t (*run)(struct dt_timer *timer, uint64_t due);
	uint64_t interval; /* ns, not 0 */
	/* of clock.c: */
	struct dt_timer *next;
	uint64_t due;
	bool early; /* started since the last dt_timers_begin() */
};
/*
 * dt_timer_start - run the timer after each interval from now on. The caller sets the first two
 * members, and keeps the timer until it is stopped. Return 0 or an errno of pthread_create().
 */
int dt_timer_start(struct dt_timer *timer);
/*
 * dt_timers_begin - begin the intervals of all timers that were started since the last call: a
 * session begins to trace.
 */
void dt_timers_begin(void);
/*
 * dt_timer_stop - stop the timer, and wait for a run in progress. Do nothing if it was not started.
 */
void dt_timer_stop(struct dt_timer *timer);

#endif
