/* SPDX-License-Identifier: MIT */
/* unwind.h - the unwind tables that a session gives the module. (unwind.c) */
#ifndef DT_UNWIND_H
#define DT_UNWIND_H

#include "../handle.h"

struct dt_unwind;

/*
 * dt_unwind_go - tracing begins: if stacks of processes will be recorded, give the module the unwind
 * tables of those that the session is about. dt_unwind_work - and of those that it has seen since.
 */
void dt_unwind_go(dtrace_hdl_t *dtp);
void dt_unwind_work(dtrace_hdl_t *dtp);
/* dt_unwind_due - ns: when there is work to be done again; UINT64_MAX: never. */
uint64_t dt_unwind_due(const struct dt_unwind *unwind);
void dt_unwind_fini(struct dt_unwind *unwind);

#endif
