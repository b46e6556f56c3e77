/* SPDX-License-Identifier: MIT */
/* unwind.h - the unwind tables that a session gives the world. (unwind.c) */
#ifndef DT_UNWIND_H
#define DT_UNWIND_H

#include "../handle.h"

struct dt_unwind;

/*
 * Prepare for tracing to begin: if a program walks stacks of processes, give the world the unwind
 * tables of the processes that the session is about. Without memory or the device nothing happens,
 * and stacks are walked by frame pointers.
 */
void dt_unwind_go(dtrace_hdl_t *dtp);
/* Give the world the tables of a process that runs another program than before, or is new. */
void dt_unwind_know(dtrace_hdl_t *dtp, pid_t pid);
/* Give the world the tables of processes that it has met since. */
void dt_unwind_work(dtrace_hdl_t *dtp);
/* Return when dt_unwind_work() has work again: ns as of dt_now(), UINT64_MAX for never. */
uint64_t dt_unwind_due(const struct dt_unwind *unwind);
/* Free; NULL is allowed. */
void dt_unwind_fini(struct dt_unwind *unwind);

#endif
