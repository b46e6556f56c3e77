/* SPDX-License-Identifier: MIT */
/*
 * boundary.h - arguments of probes at the entry and return of functions of the kernel: the kernel
 * does not say their types, its type information does.
 */
#ifndef DT_BOUNDARY_H
#define DT_BOUNDARY_H

#include "compile.h"

/*
 * boundary_is - return whether a description names such probes: entry or return of the provider
 * fbt.
 */
bool boundary_is(const dtrace_probedesc_t *desc);
/*
 * boundary_args - write the types of the arguments that a probe has, at most max (2 or more);
 * return their number. -1 if the function's type is not known, or several functions of that name
 * have different types.
 */
int boundary_args(dt_ctx_t *cx, const dtrace_probedesc_t *desc, const dt_type_t **types, uint32_t max);

#endif
