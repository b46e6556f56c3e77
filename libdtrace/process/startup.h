/* SPDX-License-Identifier: MIT */
/*
 * startup.h - a process between its exec and where it waits to be traced: the place that option
 * evaltime names. It is held by the kernel, not by ptrace. (startup.c)
 */
#ifndef DT_STARTUP_H
#define DT_STARTUP_H

#include "find_main.h"
#include "process.h"

enum dt_stage {
	DT_STAGE_NONE,	/* nothing has been executed */
	DT_STAGE_ENTRY, /* on its way to its entry point */
	DT_STAGE_CALL,	/* to a call that may be given main */
	DT_STAGE_MAIN,	/* to main */
	DT_STAGE_ARRIVED
};

struct dt_arrival {
	enum dt_stage stage;
	int exec, watch; /* watches; watch: the one that holds it now */
	pid_t pid;
	struct dt_route route;
};

/*
 * dt_arrival_by_name, dt_arrival_by_pid - wait for the exec of a file of that name, of that process;
 * dt_hold_work does what is to be done then. It must stay where it is until it is handed on or
 * dropped. 0, or -1 with errno of the device.
 */
int dt_arrival_by_name(dtrace_hdl_t *dtp, struct dt_arrival *arr, const char *name);
int dt_arrival_by_pid(dtrace_hdl_t *dtp, struct dt_arrival *arr, pid_t pid);
/* dt_arrival_hand_on - it has arrived: from now on the process's handle is who has it held. */
void dt_arrival_hand_on(dtrace_hdl_t *dtp, struct dt_arrival *arr, struct ps_prochandle *proc);
/* dt_arrival_drop - the end of waiting; who is held goes on. */
void dt_arrival_drop(dtrace_hdl_t *dtp, struct dt_arrival *arr);

#endif
