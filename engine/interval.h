/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* interval.h - the names of probes that fire by time: profile-N and tick-N. (interval.c) */
#ifndef DTRACE_ENGINE_INTERVAL_H
#define DTRACE_ENGINE_INTERVAL_H

#include "port.h"

/*
 * interval_parse - read the name of a probe: tick-97, profile-10ms. *tick becomes whether it is one of
 * the first kind, *interval the time from one firing to the next in ns. Return false if it is no
 * such name, or if the interval is shorter than DTRACE_PROFILE_INTERVAL_MIN or longer than
 * DTRACE_PROFILE_INTERVAL_MAX. Any context.
 */
bool interval_parse(const char *name, bool *tick, uint64_t *interval);

#endif
