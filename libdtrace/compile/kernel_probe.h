/* SPDX-License-Identifier: MIT */
/*
 * kernel_probe.h - the types of arguments of the kernel's own probes. The module does not know
 * them; the kernel's type information does.
 */
#ifndef DT_KERNEL_PROBE_H
#define DT_KERNEL_PROBE_H

#include "compile.h"

/*
 * kernel_probe_is - return whether a description names such a probe: entry or return of the
 * provider fbt, or a tracepoint, of sdt or rawtp.
 */
bool kernel_probe_is(const dtrace_probedesc_t *desc);
/*
 * kernel_probe_args - write the types of the arguments that a probe has, at most max (2 or more);
 * return their number. -1 if the type of the function or tracepoint is not known, or several
 * functions of that name have different types.
 */
int kernel_probe_args(dt_ctx_t *cx, const dtrace_probedesc_t *desc, const dt_type_t **types,
		      uint32_t max);

#endif
