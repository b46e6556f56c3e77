/* SPDX-License-Identifier: MIT */
/* tick.h - the provider profile of the user world. (tick.c) */
#ifndef DT_USERLAND_TICK_H
#define DT_USERLAND_TICK_H

/* dt_tick_init - register the provider with the engine. Return 0 or a negative errno. */
int dt_tick_init(void);
/* dt_tick_fini - unregister the provider. No session may exist. */
void dt_tick_fini(void);

#endif
