/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* interval.h - the intervals in names of probes that fire by time. (interval.c) */
#ifndef DTRACE_ENGINE_INTERVAL_H
#define DTRACE_ENGINE_INTERVAL_H

#include "port.h"

/*
 * interval_parse - read an interval or a rate: 10ms, 97, 97hz. *interval becomes the time from one
 * firing to the next in ns. Return false if the text is neither, or if the interval is shorter than
 * DTRACE_INTERVAL_MIN or longer than DTRACE_INTERVAL_MAX. Any context.
 */
bool interval_parse(const char *text, uint64_t *interval);

#endif
