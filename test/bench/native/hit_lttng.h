// SPDX-License-Identifier: MIT
/* hit_lttng.h - the tracepoint bench:hit of LTTng-UST, with one integer. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./hit_lttng.h"

#if !defined(HIT_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define HIT_LTTNG_H
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(bench, hit, LTTNG_UST_TP_ARGS(long, value),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(long, value, value)))
#endif

#include <lttng/tracepoint-event.h>
