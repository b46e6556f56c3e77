/* SPDX-License-Identifier: MIT */
/*
 * proc.h - the processes that a session is about. They, their symbols, unwind tables and pid probes
 * are worked on here, in the consumer's loop. (proc.c)
 */
#ifndef DT_PROC_H
#define DT_PROC_H

#include "handle.h"

struct dt_mapping;
struct pollfd;

/*
 * Register the probes that a process has not registered itself. With filter, only those that have
 * only SystemTap's notes, in the files that it returns true for, called with arg. Tell the handler
 * of processes what fails.
 */
void dt_proc_register(dtrace_hdl_t *dtp, pid_t pid,
		      bool (*filter)(void *arg, const struct dt_mapping *map), void *arg);
/* Return whether the handle has created or grabbed a process. */
bool dt_proc_is_ours(const dtrace_hdl_t *dtp, pid_t pid);
/* Prepare for tracing to begin: if addresses of processes will be shown, note what they map. */
void dt_procs_go(dtrace_hdl_t *dtp);
/*
 * Pass the world's messages about processes to the handler, except the first one about a process
 * that cannot be traced: set EDT_NOTARGET with that reason. Return false if there is none.
 */
bool dt_procs_refused(dtrace_hdl_t *dtp);
/*
 * Set fds[0..] to the descriptors to poll for news of processes, at most max. Return their number.
 */
int dt_procs_fds(dtrace_hdl_t *dtp, struct pollfd *fds, int max);
/*
 * Return when dt_procs_work() is to be called at the latest: ns as of dt_now(), UINT64_MAX for
 * never.
 */
uint64_t dt_procs_due(const dtrace_hdl_t *dtp);
/*
 * Handle stopped threads, new mappings, and ended processes, which are reported to the handler.
 * Return 0, or -1 with EDT_HANDLER.
 */
int dt_procs_work(dtrace_hdl_t *dtp);
/* Free all that the handle has for processes; children that were created are killed. */
void dt_procs_fini(dtrace_hdl_t *dtp);

#endif
