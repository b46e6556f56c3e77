/* SPDX-License-Identifier: MIT */
/* proc.h - the processes that a session is about. (proc.c) */
#ifndef DT_PROC_H
#define DT_PROC_H

#include "handle.h"

void dt_procs_fini(dtrace_hdl_t *dtp);
/*
 * dt_procs_fds - descriptors to poll for news of processes: fills in fds, at most max; their
 * number.
 */
struct pollfd;
int dt_procs_fds(dtrace_hdl_t *dtp, struct pollfd *fds, int max);
/* dt_procs_go - tracing begins: if addresses of processes will be recorded, watch what they map. */
void dt_procs_go(dtrace_hdl_t *dtp);
/* dt_procs_due - ns: when dt_procs_work wants to be called at the latest; UINT64_MAX: never. */
uint64_t dt_procs_due(const dtrace_hdl_t *dtp);
/* dt_procs_work - see which processes have ended and tell the handler; 0 or -1. */
int dt_procs_work(dtrace_hdl_t *dtp);

#endif
