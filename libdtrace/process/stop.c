/* SPDX-License-Identifier: MIT */
/* stop.c - stop points of a session, and the functions that handle the threads stopped there. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include "stop.h"

#define MAXFDS 8 /* descriptors that report stopped threads */

struct dt_stop_point {
	struct dt_stop_point *next;
	unsigned int number;
	dt_stopped_f *func; /* NULL: threads that arrive go on */
	void *arg;
};

/* Make a stop point by a request. Return its number, or -1 with errno. */
static int stop_add(dtrace_hdl_t *dtp, unsigned long request, void *what, dt_stopped_f *func,
		    void *arg)
{
	struct dt_stop_point *point = malloc(sizeof(*point));
	int number;

	if (!point)
		return -1;
	number = dt_world_process(dtp, request, what);
	if (number == -1) {
		free(point);
		return -1;
	}
	*point = (struct dt_stop_point){
		.next = dtp->stop_points, .number = number, .func = func, .arg = arg};
	dtp->stop_points = point;
	return number;
}

int dt_stop_exec(dtrace_hdl_t *dtp, const char *name, uint32_t ms, dt_stopped_f *func, void *arg)
{
	dtrace_stop_exec_t exec = {.dtfx_timeout = ms};

	if (strlen(name) >= sizeof(exec.dtfx_name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(exec.dtfx_name, name);
	return stop_add(dtp, DTRACEFTIOC_STOP_EXEC, &exec, func, arg);
}

int dt_stop_exec_of(dtrace_hdl_t *dtp, pid_t pid, bool follow, uint32_t ms, dt_stopped_f *func,
		    void *arg)
{
	dtrace_stop_exec_t exec = {
		.dtfx_timeout = ms, .dtfx_pid = pid, .dtfx_flags = follow ? DTRACE_STOP_FOLLOW : 0};

	return stop_add(dtp, DTRACEFTIOC_STOP_EXEC, &exec, func, arg);
}

int dt_stop_address(dtrace_hdl_t *dtp, pid_t pid, uint64_t address, bool follow, uint32_t ms,
		    dt_stopped_f *func, void *arg)
{
	dtrace_stop_address_t at = {.dtfa_pid = pid,
				    .dtfa_timeout = ms,
				    .dtfa_address = address,
				    .dtfa_flags = follow ? DTRACE_STOP_FOLLOW : 0};

	return stop_add(dtp, DTRACEFTIOC_STOP_ADDRESS, &at, func, arg);
}

bool dt_stop_end(dtrace_hdl_t *dtp, int number)
{
	struct dt_stop_point *point, **at;

	for (at = &dtp->stop_points; (point = *at); at = &point->next)
		if (point->number == (unsigned int)number) {
			*at = point->next;
			free(point);
			return dt_world_process_number(dtp, DTRACEFTIOC_STOP_END, number) > 0;
		}
	return false;
}

void dt_stop_ignore(dtrace_hdl_t *dtp, int number)
{
	for (struct dt_stop_point *point = dtp->stop_points; point; point = point->next)
		if (point->number == (unsigned int)number)
			point->func = NULL;
}

bool dt_stop_release(dtrace_hdl_t *dtp, pid_t tid)
{
	return dt_world_process_number(dtp, DTRACEFTIOC_STOP_RELEASE, tid) == 0;
}

/* Handle a thread; arg is the handle. The threads of a removed stop point have gone on already. */
static void stop_arrived(const dtrace_stopped_t *stopped, void *arg)
{
	dtrace_hdl_t *dtp = arg;

	for (struct dt_stop_point *point = dtp->stop_points; point; point = point->next)
		if (point->number == stopped->dtfd_point) {
			if (!point->func || !point->func(dtp, stopped, point->arg))
				dt_stop_release(dtp, stopped->dtfd_tid);
			return;
		}
}

void dt_stop_work(dtrace_hdl_t *dtp)
{
	dt_world_work(dtp, stop_arrived, dtp);
}

bool dt_stop_wait(dtrace_hdl_t *dtp, int ms)
{
	struct pollfd fds[MAXFDS];

	if (poll(fds, dt_world_fds(dtp, DT_WORLD_STOPS, fds, MAXFDS), ms) == -1)
		return false;
	dt_stop_work(dtp);
	return true;
}

void dt_stop_fini(struct dt_stop_point *points)
{
	struct dt_stop_point *next;

	for (; points; points = next) {
		next = points->next;
		free(points);
	}
}

bool dt_stop_may_trace(dtrace_hdl_t *dtp, pid_t pid)
{
	dtrace_ft_count_t count = {.dtfc_pid = pid};

	return dt_world_process(dtp, DTRACEFTIOC_COUNT, &count) == 0 || errno != EPERM;
}
