/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* hrtimer.h - preparing a high resolution timer, in one shape for all releases. */
#ifndef DTRACE_COMPAT_HRTIMER_H
#define DTRACE_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>

/* 6.13 made hrtimer_setup; the pair it replaces went later. */
#ifdef COMPAT_HRTIMER_SETUP
#define compat_hrtimer_setup hrtimer_setup
#else
static inline void compat_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*function)(struct hrtimer *),
					clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif
#endif
