/* SPDX-License-Identifier: MIT */
/*
 * stop.h - stop points: the world stops threads there until the session has handled what is new.
 * <dtrace/stop.h> tells how. A stop point's number is the world's, from 1 on. (stop.c)
 */
#ifndef DT_STOP_H
#define DT_STOP_H

#include <dtrace/stop.h>
#include "../handle.h"

struct dt_stop_point;

/*
 * Handle a thread that has arrived at a stop point. The thread is stopped if DTRACE_STOP_STOPPED is
 * set; otherwise the call is only news. stopped is valid during the call; arg is that of the stop
 * point. Return false to let the thread go on now, true to keep it until dt_stop_release() or
 * dt_stop_end().
 */
typedef bool dt_stopped_f(dtrace_hdl_t *dtp, const dtrace_stopped_t *stopped, void *arg);

/*
 * Stop the process that next executes a file of this name, once.
 *	ms	how long a thread is stopped at most, here and below
 *	func	is called for each thread that arrives; arg is borrowed until dt_stop_end()
 * Return the number of the stop point, or -1 with errno: ENAMETOOLONG, or that of the world.
 */
int dt_stop_exec(dtrace_hdl_t *dtp, const char *name, uint32_t ms, dt_stopped_f *func, void *arg);
/*
 * Stop a process at each of its execs; with follow also its descendants at theirs. With ms 0
 * nothing stops, but names of providers that have the process's number mean its descendants too, in
 * sessions that follow forks. Return as dt_stop_exec() does.
 */
int dt_stop_exec_of(dtrace_hdl_t *dtp, pid_t pid, bool follow, uint32_t ms, dt_stopped_f *func,
		    void *arg);
/*
 * Stop each thread of a process that arrives at an address; with follow also those of followed
 * descendants, at the same location in the file. Return as dt_stop_exec() does.
 */
int dt_stop_address(dtrace_hdl_t *dtp, pid_t pid, uint64_t address, bool follow, uint32_t ms,
		    dt_stopped_f *func, void *arg);
/*
 * Remove a stop point: its stopped threads go on, and its function is no longer called. Return
 * whether there was a stopped thread.
 */
bool dt_stop_end(dtrace_hdl_t *dtp, int point);
/* Let threads that arrive at a stop point from now on go on; stopped threads stay stopped. */
void dt_stop_ignore(dtrace_hdl_t *dtp, int point);
/* Let a stopped thread go on. Return false if it was not stopped any more. */
bool dt_stop_release(dtrace_hdl_t *dtp, pid_t tid);
/* Call the functions of stop points for the threads that have arrived. Does not wait. */
void dt_stop_work(dtrace_hdl_t *dtp);
/*
 * Call dt_stop_work() as soon as a thread arrives, or ms milliseconds have passed. Return false
 * with errno EINTR if a signal came first.
 */
bool dt_stop_wait(dtrace_hdl_t *dtp, int ms);
/* Free the list of stop points; the world has removed, or is about to remove, the points. */
void dt_stop_fini(struct dt_stop_point *points);
/* Return false if the user may not trace the process. Without the device, return true. */
bool dt_stop_may_trace(dtrace_hdl_t *dtp, pid_t pid);

#endif
