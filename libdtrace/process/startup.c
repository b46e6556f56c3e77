/* SPDX-License-Identifier: MIT */
/*
 * startup.c - a process between its exec and where it waits to be traced.
 *
 * It is held at its exec. At its entry point the dynamic linker and the constructors of libraries are
 * done. The program's own constructors, among them the one that registers its probes, run between
 * there and main, which is found by holding it at each call on its way, to see what the call is given.
 * A program in which that leads nowhere stays where it was held last, at its entry point at least.
 */
#include <errno.h>
#include "startup.h"
#include "stop.h"

#define HOLD_MS 60000 /* as long as the kernel permits: until tracing begins */

static bool arrival_met(dtrace_hdl_t *dtp, const dtrace_ft_stopped_t *held, void *arg);

/* Have it go on to an address. False: it can not be held there. */
static bool arrival_go(dtrace_hdl_t *dtp, struct dt_arrival *arr, uint64_t address,
		       enum dt_stage stage)
{
	int watch = dt_hold_address(dtp, arr->pid, address, false, HOLD_MS, arrival_met, arr);

	if (watch == -1) {
		dt_debug(dtp, "%d cannot be held at %#llx: %m", (int)arr->pid,
			 (unsigned long long)address);
		return false;
	}
	if (arr->watch != arr->exec)
		dt_hold_end(dtp, arr->watch);
	arr->watch = watch;
	arr->stage = stage;
	return true;
}

/* From its exec on: without a call to look at, no further than to the entry point. */
static bool arrival_begin(dtrace_hdl_t *dtp, struct dt_arrival *arr)
{
	enum dt_evaltime where = dtp->copts[DT_COPT_EVALTIME];
	uint64_t call = 0;

	if (where == DT_EVAL_EXEC || !dt_route_open(&arr->route, arr->pid))
		return false;
	if (where != DT_EVAL_PREINIT)
		call = dt_route_call(&arr->route);
	return (call != 0 && arrival_go(dtp, arr, call, DT_STAGE_CALL)) ||
	       arrival_go(dtp, arr, arr->route.entry, DT_STAGE_ENTRY);
}

/* On to main, if the call where it is is given that, or else to the next call. */
static bool arrival_seek(dtrace_hdl_t *dtp, struct dt_arrival *arr, uint64_t arg0)
{
	uint64_t call;

	if (dt_route_is_main(&arr->route, arg0))
		return arrival_go(dtp, arr, arg0, DT_STAGE_MAIN);
	call = dt_route_enter(&arr->route) ? dt_route_call(&arr->route) : 0;
	return call != 0 && arrival_go(dtp, arr, call, DT_STAGE_CALL);
}

/* Further on its way; false: it has arrived. */
static bool arrival_on(dtrace_hdl_t *dtp, struct dt_arrival *arr, uint64_t arg0)
{
	switch (arr->stage) {
	case DT_STAGE_NONE:
		return arrival_begin(dtp, arr);
	case DT_STAGE_CALL:
		return arrival_seek(dtp, arr, arg0);
	default:
		return false;
	}
}

/* It has met the watch that it was on its way to. */
static bool arrival_met(dtrace_hdl_t *dtp, const dtrace_ft_stopped_t *held, void *arg)
{
	struct dt_arrival *arr = arg;

	if (arr->stage == DT_STAGE_ARRIVED)
		return false;
	if ((held->dtfd_flags & DTRACE_FT_STOPPED) != 0 && arrival_on(dtp, arr, held->dtfd_arg0))
		return false;
	arr->stage = DT_STAGE_ARRIVED;
	return true;
}

/* Exec, or another one on its way: then it begins anew. */
static bool arrival_exec(dtrace_hdl_t *dtp, const dtrace_ft_stopped_t *held, void *arg)
{
	struct dt_arrival *arr = arg;

	if (arr->stage == DT_STAGE_ARRIVED)
		return false;
	if (arr->watch != arr->exec)
		dt_hold_end(dtp, arr->watch);
	arr->watch = arr->exec;
	arr->stage = DT_STAGE_NONE;
	arr->pid = held->dtfd_pid;
	return arrival_met(dtp, held, arg);
}

static int arrival_watch(struct dt_arrival *arr, int watch)
{
	arr->exec = arr->watch = watch;
	return watch == -1 ? -1 : 0;
}

int dt_arrival_by_name(dtrace_hdl_t *dtp, struct dt_arrival *arr, const char *name)
{
	*arr = (struct dt_arrival){.stage = DT_STAGE_NONE};
	return arrival_watch(arr, dt_hold_exec(dtp, name, HOLD_MS, arrival_exec, arr));
}

int dt_arrival_by_pid(dtrace_hdl_t *dtp, struct dt_arrival *arr, pid_t pid)
{
	*arr = (struct dt_arrival){.stage = DT_STAGE_NONE, .pid = pid};
	return arrival_watch(arr, dt_hold_exec_of(dtp, pid, false, HOLD_MS, arrival_exec, arr));
}

void dt_proc_held(struct ps_prochandle *proc, int watch)
{
	proc->held = true;
	proc->watch = watch;
}

void dt_arrival_hand_on(dtrace_hdl_t *dtp, struct dt_arrival *arr, struct ps_prochandle *proc)
{
	if (arr->watch != arr->exec)
		dt_hold_end(dtp, arr->exec);
	dt_hold_ignore(dtp, arr->watch);
	dt_proc_held(proc, arr->watch);
}

void dt_arrival_drop(dtrace_hdl_t *dtp, struct dt_arrival *arr)
{
	dt_hold_end(dtp, arr->exec);
	if (arr->watch != arr->exec)
		dt_hold_end(dtp, arr->watch);
}
