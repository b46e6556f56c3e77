/* SPDX-License-Identifier: MIT */
/*
 * startup.h - a process between its exec and the point where it waits to be traced, which option
 * evaltime names. Stop points stop it there, not ptrace. (startup.c)
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
	DT_STAGE_READY	/* stopped where it waits, or not to be stopped any more */
};

struct dt_startup {
	enum dt_stage stage;
	int exec;  /* stop point of its exec */
	int point; /* that stops it now, or at which it stops next */
	pid_t pid;
	struct find_main find;
};

/*
 * Wait for the exec of a file of this name. dt_stop_work() does what there is to do when it comes.
 * startup must stay where it is until dt_startup_hand_over() or dt_startup_end(). Return 0, or -1
 * with errno of the world.
 */
int dt_startup_by_name(dtrace_hdl_t *dtp, struct dt_startup *startup, const char *name);
/* Wait for the next exec of a process, as dt_startup_by_name() does for that of a file. */
int dt_startup_by_pid(dtrace_hdl_t *dtp, struct dt_startup *startup, pid_t pid);
/* End a startup that is ready: from now on dtrace_proc_continue() lets the process go on. */
void dt_startup_hand_over(dtrace_hdl_t *dtp, struct dt_startup *startup,
			  struct ps_prochandle *proc);
/* End a startup; the process goes on. */
void dt_startup_end(dtrace_hdl_t *dtp, struct dt_startup *startup);

#endif
