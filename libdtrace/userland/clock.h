/* SPDX-License-Identifier: MIT */
/*
 * clock.h - timers of the world of processes, run by one thread of the library. (clock.c)
 *
 * The thread exists while there are timers, and takes no signals. One lock covers the list of
 * timers. It is taken after any lock that a caller holds, and is not held while a timer runs.
 */
#ifndef DT_USERLAND_CLOCK_H
#define DT_USERLAND_CLOCK_H

#include <stdint.h>

struct dt_timer {
	/*
	 * Called when the timer is due, and again and again. due: when it was, in ns of
	 * CLOCK_MONOTONIC. Return for how many ns it shall rest at least; 0: its interval alone
	 * decides. Must not call a function of this header.
	 */
	uint64_t (*run)(struct dt_timer *timer, uint64_t due);
	uint64_t interval; /* ns, not 0 */
	/* of clock.c: */
	struct dt_timer *next;
	uint64_t due;
};
/*
 * dt_timer_start - run the timer after each interval from now on. The caller sets its first two
 * members, and keeps the timer until it is stopped. 0 or an errno of pthread_create().
 */
int dt_timer_start(struct dt_timer *timer);
/* dt_timer_stop - stop the timer, and wait until it has run. No effect unless it is started. */
void dt_timer_stop(struct dt_timer *timer);

#endif
