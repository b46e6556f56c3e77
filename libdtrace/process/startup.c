/* SPDX-License-Identifier: MIT */
/*
 * startup.c - a process between its exec and the point where it waits to be traced.
 *
 * It stops at its exec. At its entry point the dynamic linker and the constructors of libraries are
 * done. The program's own constructors, among them the one that registers its probes, run between
 * there and main. To find main, the process is stopped at each call on its way, and the argument of
 * the call is looked at (find_main.c). If no call leads on, the process stays where it stopped
 * last, which is its entry point at least.
 */
#include <errno.h>
#include "startup.h"
#include "stop.h"

#define STOP_MS 60000 /* as long as the kernel permits: until tracing begins */

static bool startup_arrived(dtrace_hdl_t *dtp, const dtrace_stopped_t *stopped, void *arg);

/* Let the process go on to an address. Return false if it cannot be stopped there. */
static bool startup_go(dtrace_hdl_t *dtp, struct dt_startup *startup, uint64_t address,
		       enum dt_stage stage)
{
	int point = dt_stop_address(dtp, startup->pid, address, false, STOP_MS, startup_arrived,
				    startup);

	if (point == -1) {
		dt_debug(dtp, "%d cannot be stopped at %#llx: %m", (int)startup->pid,
			 (unsigned long long)address);
		return false;
	}
	if (startup->point != startup->exec)
		dt_stop_end(dtp, startup->point);
	startup->point = point;
	startup->stage = stage;
	return true;
}

/*
 * Go on from exec: to the first call, or to the entry point if there is none to look at. In a world
 * without stop points at addresses, the process is stopped already, before its main.
 */
static bool startup_begin(dtrace_hdl_t *dtp, struct dt_startup *startup)
{
	enum dt_evaltime where = dtp->copts[DT_COPT_EVALTIME];
	uint64_t call = 0;

	if (where == DT_EVAL_EXEC || !dt_world_has_stop_points(dtp) ||
	    !find_main_open(&startup->find, startup->pid))
		return false;
	if (where != DT_EVAL_PREINIT)
		call = find_main_call(&startup->find);
	return (call != 0 && startup_go(dtp, startup, call, DT_STAGE_CALL)) ||
	       startup_go(dtp, startup, startup->find.entry, DT_STAGE_ENTRY);
}

/* Go on from a call: to main if it is the argument, else to the next call. */
static bool startup_seek(dtrace_hdl_t *dtp, struct dt_startup *startup, uint64_t arg0)
{
	uint64_t call;

	if (find_main_is_main(&startup->find, arg0))
		return startup_go(dtp, startup, arg0, DT_STAGE_MAIN);
	call = find_main_enter(&startup->find) ? find_main_call(&startup->find) : 0;
	return call != 0 && startup_go(dtp, startup, call, DT_STAGE_CALL);
}

/* Let a stopped process go on to its next stop point. Return false if it stays where it is. */
static bool startup_continue(dtrace_hdl_t *dtp, struct dt_startup *startup, uint64_t arg0)
{
	switch (startup->stage) {
	case DT_STAGE_NONE:
		return startup_begin(dtp, startup);
	case DT_STAGE_CALL:
		return startup_seek(dtp, startup, arg0);
	default:
		return false;
	}
}

/* Handle a stop at a stop point: a dt_stopped_f. */
static bool startup_arrived(dtrace_hdl_t *dtp, const dtrace_stopped_t *stopped, void *arg)
{
	struct dt_startup *startup = arg;

	if (startup->stage == DT_STAGE_READY)
		return false;
	if ((stopped->dtfd_flags & DTRACE_STOP_STOPPED) != 0 &&
	    startup_continue(dtp, startup, stopped->dtfd_arg0))
		return false;
	startup->stage = DT_STAGE_READY;
	return true;
}

/* Handle an exec: a dt_stopped_f. At another exec on the way, the startup begins anew. */
static bool startup_executed(dtrace_hdl_t *dtp, const dtrace_stopped_t *stopped, void *arg)
{
	struct dt_startup *startup = arg;

	if (startup->stage == DT_STAGE_READY)
		return false;
	if (startup->point != startup->exec)
		dt_stop_end(dtp, startup->point);
	startup->point = startup->exec;
	startup->stage = DT_STAGE_NONE;
	startup->pid = stopped->dtfd_pid;
	return startup_arrived(dtp, stopped, arg);
}

int dt_startup_by_name(dtrace_hdl_t *dtp, struct dt_startup *startup, const char *name)
{
	*startup = (struct dt_startup){.stage = DT_STAGE_NONE};
	startup->exec = startup->point =
		dt_stop_exec(dtp, name, STOP_MS, startup_executed, startup);
	return startup->exec == -1 ? -1 : 0;
}

int dt_startup_by_pid(dtrace_hdl_t *dtp, struct dt_startup *startup, pid_t pid)
{
	*startup = (struct dt_startup){.stage = DT_STAGE_NONE, .pid = pid};
	startup->exec = startup->point =
		dt_stop_exec_of(dtp, pid, false, STOP_MS, startup_executed, startup);
	return startup->exec == -1 ? -1 : 0;
}

void dt_startup_hand_over(dtrace_hdl_t *dtp, struct dt_startup *startup, struct ps_prochandle *proc)
{
	if (startup->point != startup->exec)
		dt_stop_end(dtp, startup->exec);
	dt_stop_ignore(dtp, startup->point);
	proc->stopped = true;
	proc->stop_point = startup->point;
}

void dt_startup_end(dtrace_hdl_t *dtp, struct dt_startup *startup)
{
	dt_stop_end(dtp, startup->exec);
	if (startup->point != startup->exec)
		dt_stop_end(dtp, startup->point);
}
