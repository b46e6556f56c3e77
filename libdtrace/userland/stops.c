/* SPDX-License-Identifier: MIT */
/*
 * stops.c - stop points at addresses of processes. There is code like that of a site at the address
 * (sites.c). The agent lets each thread that comes wait in an entry of the region (agent/stop.c).
 * dtrace looks for such entries periodically, and frees them.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include "inject.h"
#include "traced.h"

/* A stop point of a process. */
struct traced_stop {
	struct traced_stop *next;
	uint32_t number;
	bool joined; /* the agent has been told */
	struct usdt_location *location;
};

/*
 * The smallest stopped->dtfd_tid of threads that wait in a region. No thread has so large a number.
 */
#define HANDLE_FIRST 0x40000000

static struct agent_head *stop_head(const struct traced *t)
{
	return (void *)t->region.mem;
}

/* ---- threads that wait ---- */

/* Return the ticket of a thread in an entry that was not reported yet, or 0. */
static uint32_t entry_news(const struct traced *t, unsigned int i)
{
	uint32_t ticket = __atomic_load_n(&stop_head(t)->stopped[i].ticket, __ATOMIC_ACQUIRE);

	return ticket == AGENT_TICKET_CLAIMED || ticket == t->stopped[i].ticket ? 0 : ticket;
}

/* Let the thread in an entry go on. Return whether it was still waiting. */
static bool entry_release(const struct traced *t, unsigned int i, uint32_t ticket)
{
	uint32_t *there = &stop_head(t)->stopped[i].ticket;

	if (!ticket || !__atomic_compare_exchange_n(there, &ticket, 0, false, __ATOMIC_RELEASE,
						    __ATOMIC_RELAXED))
		return false;
	syscall(SYS_futex, there, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	return true;
}

/*
 * Return the process of a thread by the number that its process has written, or 0 if it cannot be
 * right: besides the process, only its forked children have the region.
 */
static pid_t entry_pid(const struct traced_session *session, const struct traced *t, uint32_t pid)
{
	if (pid == stop_head(t)->own_pid)
		return t->pid;
	return pid && pid <= INT32_MAX && traced_parent(session, (pid_t)pid) == t ? (pid_t)pid : 0;
}

static bool has_stop(const struct traced *t, uint32_t number)
{
	for (const struct traced_stop *stop = t->stops; stop; stop = stop->next)
		if (stop->number == number)
			return true;
	return false;
}

int traced_handle(struct traced_session *session)
{
	return HANDLE_FIRST | (session->next_handle++ & (HANDLE_FIRST - 1));
}

/* Return whether a number is that of a stop point before an exec. */
static bool is_of_exec(const struct traced *t, uint32_t number)
{
	const uint32_t first = (uint32_t)traced_execs_number(t);

	return first && (number == first || number == first + 1);
}

bool traced_stops_waiting(const struct traced_session *session)
{
	if (session->executing)
		return true;
	for (const struct traced *t = session->processes; t; t = t->next)
		for (unsigned int i = 0; t->stops && t->joined && i < AGENT_STOPPED_MAX; i++)
			if (entry_news(t, i))
				return true;
	return false;
}

/* Follow the thread in an entry while it executes a program, or let it go on. */
static void entry_exec(struct traced_session *session, const struct traced *t, unsigned int i,
		       uint32_t ticket, pid_t pid)
{
	const struct agent_stopped entry = stop_head(t)->stopped[i];
	const uint64_t futex = t->region.address +
			       (uint64_t)((char *)&stop_head(t)->stopped[i].ticket - t->region.mem);

	traced_exec_begin(session, t, pid, &entry, futex);
	entry_release(t, i, ticket);
}

/*
 * Describe the thread in an entry, and note that it has been reported. Return false if there is
 * none.
 */
static bool entry_tell(struct traced_session *session, struct traced *t, unsigned int i,
		       dtrace_stopped_t *stopped)
{
	const struct agent_stopped *entry = &stop_head(t)->stopped[i];
	const uint32_t ticket = entry_news(t, i);
	const uint32_t point = __atomic_load_n(&entry->point, __ATOMIC_RELAXED);
	const pid_t pid = ticket ? entry_pid(session, t, entry->pid) : 0;

	t->stopped[i].ticket = ticket;
	if (!ticket)
		return false;
	if (pid && is_of_exec(t, point)) {
		entry_exec(session, t, i, ticket, pid);
		return false;
	}
	if (!pid || !has_stop(t, point)) {
		entry_release(t, i, ticket);
		return false;
	}
	if (pid == t->pid)
		traced_files_look(session, t);
	t->stopped[i].handle = traced_handle(session);
	*stopped = (dtrace_stopped_t){.dtfd_pid = pid,
				      .dtfd_tid = t->stopped[i].handle,
				      .dtfd_point = point,
				      .dtfd_flags = DTRACE_STOP_STOPPED};
	return true;
}

/* Report the threads that went on by themselves. */
static void unstopped_complain(struct traced_session *session, struct traced *t)
{
	uint32_t *there = &stop_head(t)->unstopped;
	char text[96];

	if (!__atomic_load_n(there, __ATOMIC_RELAXED))
		return;
	snprintf(text, sizeof(text), "threads went on before dtrace had looked at new code: %u",
		 __atomic_exchange_n(there, 0, __ATOMIC_RELAXED));
	traced_complain(session, t->pid, text);
}

bool traced_stops_arrived(struct traced_session *session, dtrace_stopped_t *stopped)
{
	if (traced_exec_arrived(session, stopped))
		return true;
	for (struct traced *t = session->processes; t; t = t->next)
		if (t->stops && t->joined)
			unstopped_complain(session, t);
	for (struct traced *t = session->processes; t; t = t->next)
		for (unsigned int i = 0; t->stops && t->joined && i < AGENT_STOPPED_MAX; i++)
			if (entry_news(t, i) && entry_tell(session, t, i, stopped))
				return true;
	return false;
}

bool traced_stops_release(struct traced_session *session, int handle)
{
	for (struct traced *t = session->processes; t; t = t->next)
		for (unsigned int i = 0; t->joined && i < AGENT_STOPPED_MAX; i++)
			if (t->stopped[i].handle == handle && t->stopped[i].ticket)
				return entry_release(t, i, t->stopped[i].ticket);
	return traced_exec_release(session, handle);
}

/*
 * Let the threads at a stop point go on; 0: those at all stop points. Return whether there were
 * any.
 */
static bool stop_release(const struct traced *t, uint32_t number)
{
	bool any = false;

	for (unsigned int i = 0; i < AGENT_STOPPED_MAX; i++) {
		const struct agent_stopped *entry = &stop_head(t)->stopped[i];
		uint32_t ticket = __atomic_load_n(&entry->ticket, __ATOMIC_ACQUIRE);

		if (ticket != AGENT_TICKET_CLAIMED && (!number || entry->point == number))
			any |= entry_release(t, i, ticket);
	}
	return any;
}

/* ---- stop points ---- */

bool traced_stop_add(struct traced *t, uint64_t addr, uint32_t number)
{
	struct traced_stop *stop = calloc(1, sizeof(*stop));

	if (!stop)
		return false;
	stop->number = number;
	stop->location = usdt_stop_set(&t->usdt, addr, number, UINT32_MAX);
	if (!stop->location) {
		free(stop);
		return false;
	}
	stop->next = t->stops;
	t->stops = stop;
	return true;
}

int traced_stop_address(struct traced_session *session, const dtrace_stop_address_t *at)
{
	struct traced *t;
	int number = session->next_number, error;

	error = at->dtfa_timeout ? traced_get(session, at->dtfa_pid, &t) : -EINVAL;
	if (!error && !traced_stop_add(t, at->dtfa_address, (uint32_t)number))
		error = -ENOMEM;
	if (error)
		return error;
	session->next_number++;
	error = traced_update_stops(session, t);
	return error ? error : number;
}

/* Remove a stop point of a process. Return whether a thread has waited there. */
static bool stop_end(struct traced *t, struct traced_stop **at)
{
	struct traced_stop *stop = *at;
	struct dt_remote *remote = NULL;
	bool waited = false;

	if (t->joined && !t->ended) {
		if (dt_inject_begin(t->pid, &remote, t->why) != 0)
			remote = NULL;
		traced_leave_stop(t, remote, stop->location);
		if (remote)
			remote->ops->end(remote);
	}
	*at = stop->next;
	usdt_stop_clear(&t->usdt, stop->location);
	if (t->joined)
		waited = stop_release(t, stop->number);
	free(stop);
	return waited;
}

int traced_stop_end(struct traced_session *session, int number)
{
	if (traced_execs_end(session, number))
		return 0;
	for (struct traced *t = session->processes; t; t = t->next)
		for (struct traced_stop **at = &t->stops; *at; at = &(*at)->next)
			if ((*at)->number == (uint32_t)number)
				return stop_end(t, at);
	return -ENOENT;
}

/* ---- among the files ---- */

int traced_stops_join(struct traced *t, struct dt_remote *remote, bool all)
{
	for (struct traced_stop *stop = t->stops; stop; stop = stop->next) {
		int error = stop->joined && !all ? 0 : traced_join_stop(t, remote, stop->location);

		if (error)
			return error;
		stop->joined = true;
	}
	return 0;
}

void traced_stops_inherit(struct traced *t, const struct traced *parent)
{
	for (const struct traced_stop *stop = parent->stops; stop; stop = stop->next)
		if (stop->number & AGENT_CALL(0) || is_of_exec(parent, stop->number))
			traced_stop_add(t, stop->location->addr, stop->number);
}

void traced_stops_go(struct traced *t)
{
	if (t->region.mem)
		stop_release(t, 0);
}

void traced_stops_free(struct traced *t)
{
	struct traced_stop *next;

	for (struct traced_stop *stop = t->stops; stop; stop = next) {
		next = stop->next;
		free(stop);
	}
	t->stops = NULL;
}
