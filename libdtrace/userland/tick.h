/* SPDX-License-Identifier: MIT */
/* tick.h - the processor's time stamp counter as a clock. (tick.c) */
#ifndef DT_USERLAND_TICK_H
#define DT_USERLAND_TICK_H

#include <stdint.h>

/*
 * dt_tick - measure how long a tick of the counter is, in 2^-32 ns. The result is too short by
 * about a thousandth: by more than the kernel slews its clock for NTP. Return 0 if the kernel does
 * not use the counter for its own clock. Takes a millisecond.
 */
uint64_t dt_tick(void);

#endif
