/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * vtime.h - the time of threads less that of firings: vtimestamp. (vtime.c)
 *
 * The engine lock protects the count of sessions that use it. Each set of threads has a raw spin
 * lock, taken by firings; no lock is taken within it.
 */
#ifndef DTRACE_ENGINE_VTIME_H
#define DTRACE_ENGINE_VTIME_H

#include "fire.h"

/* vtime_ref - [L] count a session that uses vtimestamp. -ENOMEM. May sleep. */
int vtime_ref(void);
/* vtime_unref - [L] undo vtime_ref(). */
void vtime_unref(void);
/* vtime_now - return the D variable vtimestamp. */
uint64_t vtime_now(struct mstate *m);
/* vtime_end - take the time of a firing that ends from that of its thread. */
void vtime_end(struct mstate *m);
/*
 * vtime_recover - release the locks of a CPU whose firing was left for good. dead: port_owner() of
 * that CPU. User land only.
 */
void vtime_recover(uint32_t dead);

#endif
