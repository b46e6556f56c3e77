/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sdt_groups.h - included before the kernel's headers of tracepoints, makes the preprocessor print
 * each tracepoint's group and name, for sdt_groups.awk. The output is never compiled.
 */
#include <linux/tracepoint.h>

/* Every macro that defines a tracepoint ends in one of these. */
#undef DECLARE_TRACE
#undef DECLARE_TRACE_CONDITION
#undef DECLARE_TRACE_SYSCALL
#define DECLARE_TRACE(name, ...)	   SDT_GROUP TRACE_SYSTEM name;
#define DECLARE_TRACE_CONDITION(name, ...) SDT_GROUP TRACE_SYSTEM name;
#define DECLARE_TRACE_SYSCALL(name, ...)   SDT_GROUP TRACE_SYSTEM name;
/* Read even the headers that others have read before. */
#define TRACE_HEADER_MULTI_READ
