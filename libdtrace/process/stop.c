/* SPDX-License-Identifier: MIT */
/*
 * stop.c - threads that are held by the kernel until we have seen to what is new: each has met a
 * watch, and the watch's function is called.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include "stop.h"

#define MAXFDS 8 /* descriptors that tell of stopped threads */

struct dt_hold {
	struct dt_hold *next;
	unsigned int watch;
	dt_hold_f *func;
	void *arg;
};

/* A watch that request makes; its number, or -1 with errno. */
static int hold_add(dtrace_hdl_t *dtp, unsigned long request, void *what, dt_hold_f *func,
		    void *arg)
{
	struct dt_hold *hold = malloc(sizeof(*hold));
	int watch;

	if (hold == NULL)
		return -1;
	watch = dt_world_process(dtp, request, what);
	if (watch == -1) {
		free(hold);
		return -1;
	}
	*hold = (struct dt_hold){
		.next = dtp->holds, .watch = watch, .func = func, .arg = arg};
	dtp->holds = hold;
	return watch;
}

int dt_hold_exec(dtrace_hdl_t *dtp, const char *name, uint32_t ms, dt_hold_f *func, void *arg)
{
	dtrace_ft_stop_exec_t exec = { .dtfx_timeout = ms };

	if (strlen(name) >= sizeof(exec.dtfx_name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(exec.dtfx_name, name);
	return hold_add(dtp, DTRACEFTIOC_STOP_EXEC, &exec, func, arg);
}

int dt_hold_exec_of(dtrace_hdl_t *dtp, pid_t pid, bool follow, uint32_t ms, dt_hold_f *func,
		    void *arg)
{
	dtrace_ft_stop_exec_t exec = {.dtfx_timeout = ms,
					    .dtfx_pid = pid,
					    .dtfx_flags = follow ? DTRACE_FT_FOLLOW : 0};

	return hold_add(dtp, DTRACEFTIOC_STOP_EXEC, &exec, func, arg);
}

int dt_hold_address(dtrace_hdl_t *dtp, pid_t pid, uint64_t address, bool follow, uint32_t ms,
		    dt_hold_f *func, void *arg)
{
	dtrace_ft_stop_address_t at = {.dtfa_pid = pid,
					     .dtfa_timeout = ms,
					     .dtfa_address = address,
					     .dtfa_flags = follow ? DTRACE_FT_FOLLOW : 0};

	return hold_add(dtp, DTRACEFTIOC_STOP_ADDRESS, &at, func, arg);
}

bool dt_hold_end(dtrace_hdl_t *dtp, int watch)
{
	struct dt_hold *hold, **at;

	for (at = &dtp->holds; (hold = *at) != NULL; at = &hold->next)
		if (hold->watch == (unsigned int)watch) {
			*at = hold->next;
			free(hold);
			return dt_world_process_number(dtp, DTRACEFTIOC_STOP_END, watch) > 0;
		}
	return false;
}

void dt_hold_ignore(dtrace_hdl_t *dtp, int watch)
{
	for (struct dt_hold *hold = dtp->holds; hold != NULL; hold = hold->next)
		if (hold->watch == (unsigned int)watch)
			hold->func = NULL;
}

bool dt_hold_release(dtrace_hdl_t *dtp, pid_t tid)
{
	return dt_world_process_number(dtp, DTRACEFTIOC_STOP_RELEASE, tid) == 0;
}

/* Those of a watch that has ended have gone on. */
static void hold_meet(const dtrace_ft_stopped_t *held, void *arg)
{
	dtrace_hdl_t *dtp = arg;

	for (struct dt_hold *hold = dtp->holds; hold != NULL; hold = hold->next)
		if (hold->watch == held->dtfd_point) {
			if (hold->func == NULL || !hold->func(dtp, held, hold->arg))
				dt_hold_release(dtp, held->dtfd_tid);
			return;
		}
}

void dt_hold_work(dtrace_hdl_t *dtp)
{
	dt_world_work(dtp, hold_meet, dtp);
}

bool dt_hold_wait(dtrace_hdl_t *dtp, int ms)
{
	struct pollfd fds[MAXFDS];

	if (poll(fds, dt_world_fds(dtp, DT_WORLD_STOPS, fds, MAXFDS), ms) == -1)
		return false;
	dt_hold_work(dtp);
	return true;
}

void dt_hold_fini(struct dt_hold *hold)
{
	struct dt_hold *next;

	for (; hold != NULL; hold = next) {
		next = hold->next;
		free(hold);
	}
}

bool dt_register_may(dtrace_hdl_t *dtp, pid_t pid)
{
	dtrace_ft_count_t count = { .dtfc_pid = pid };

	return dt_world_process(dtp, DTRACEFTIOC_COUNT, &count) == 0 || errno != EPERM;
}
