/* SPDX-License-Identifier: MIT */
/* now.h - the clock by which the library measures times. */
#ifndef DT_NOW_H
#define DT_NOW_H

#include <stdint.h>
#include <time.h>

/* Return the time in ns of CLOCK_MONOTONIC. */
static inline uint64_t dt_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

#endif
