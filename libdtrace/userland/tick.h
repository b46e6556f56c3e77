/* SPDX-License-Identifier: MIT */
/* tick.h - the provider profile of the world of processes: tick-N. (tick.c) */
#ifndef DT_USERLAND_TICK_H
#define DT_USERLAND_TICK_H

/* dt_tick_init - register the provider with the engine. 0 or a negative errno. */
int dt_tick_init(void);
/* dt_tick_fini - undo it. There are no sessions any more. */
void dt_tick_fini(void);

#endif
