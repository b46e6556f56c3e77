/* SPDX-License-Identifier: MIT */
/* stop.h - the kernel holds threads for us; dtrace/fasttrap.h says how. (stop.c) */
#ifndef DT_STOP_H
#define DT_STOP_H

#include <dtrace/fasttrap.h>
#include "../handle.h"

struct dt_hold;

/*
 * What is done when a thread has met a watch; it is held if DTRACE_FT_STOPPED is set. False: it goes
 * on now; true: dt_hold_release will be called.
 */
typedef bool dt_hold_f(dtrace_hdl_t *dtp, const dtrace_ft_stopped_t *held, void *arg);

/*
 * dt_hold_exec - watch for the next exec of a file of that name, and hold the process. ms: at most,
 * here and below. The watch's number, or -1 with errno of the device.
 * dt_hold_exec_of - hold a process at each of its execs; follow: and its descendants at theirs. ms 0:
 * nobody, but they go by the process's name for sessions that follow forks.
 * dt_hold_address - hold each thread of a process that arrives at an address; follow: and those of
 * descendants that are followed, at that place of the file.
 */
int dt_hold_exec(dtrace_hdl_t *dtp, const char *name, uint32_t ms, dt_hold_f *func, void *arg);
int dt_hold_exec_of(dtrace_hdl_t *dtp, pid_t pid, bool follow, uint32_t ms, dt_hold_f *func,
		    void *arg);
int dt_hold_address(dtrace_hdl_t *dtp, pid_t pid, uint64_t address, bool follow, uint32_t ms,
		    dt_hold_f *func, void *arg);
/*
 * dt_hold_end - the end of a watch: its threads go on, and func is not called any more. False: none
 * was held.
 */
bool dt_hold_end(dtrace_hdl_t *dtp, int watch);
/* dt_hold_ignore - who comes to it from now on goes on; who is held stays. */
void dt_hold_ignore(dtrace_hdl_t *dtp, int watch);
/* dt_hold_release - let one thread go on; false: it had already. */
bool dt_hold_release(dtrace_hdl_t *dtp, pid_t tid);
/*
 * dt_hold_work - call the functions of watches for those that have met them; dt_procs_work does it,
 * and dt_procs_fds says when. dt_hold_wait - likewise, as soon as there are some, or ms have passed;
 * false with errno: a signal came.
 */
void dt_hold_work(dtrace_hdl_t *dtp);
bool dt_hold_wait(dtrace_hdl_t *dtp, int ms);
void dt_hold_fini(struct dt_hold *hold);
/* dt_register_may - false: the process is not ours to trace. */
bool dt_register_may(dtrace_hdl_t *dtp, pid_t pid);

#endif
