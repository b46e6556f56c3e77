/* SPDX-License-Identifier: MIT */
/*
 * await.c - stop points at the start of programs, by name. A program that comes to the door waits
 * in its start-up object until tracing begins. A keepalive extends the wait. The program goes on by
 * itself after DTRACE_JOIN_TOTAL seconds, or at once when dtrace ends.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/auxv.h>
#include <linux/limits.h>
#include "../process/memory.h"
#include "door.h"
#include "door_remote.h"
#include "traced.h"

/* A stop point at the start of a program. */
struct traced_wait {
	struct traced_wait *next;
	int number;
	pid_t pid;		  /* 0: no program has come */
	struct dt_remote *remote; /* of the program; NULL: the program does not wait */
	bool told;
	char name[DTRACE_STOP_NAMELEN];
};

int traced_await(struct traced_session *session, const dtrace_stop_exec_t *exec)
{
	struct traced_wait *wait, **last = &session->waits;
	int error;

	/* Descendants have their ancestors' names anyway. A process has one stop point at execs. */
	if (exec->dtfx_pid && !exec->dtfx_timeout)
		return session->next_number++;
	if (exec->dtfx_pid)
		return traced_stop_execs(session, exec);
	if (!*exec->dtfx_name)
		return -EINVAL;
	error = traced_door_open(session);
	if (error)
		return error;
	wait = calloc(1, sizeof(*wait));
	if (!wait)
		return -ENOMEM;
	wait->number = session->next_number++;
	snprintf(wait->name, sizeof(wait->name), "%s", exec->dtfx_name);
	while (*last)
		last = &(*last)->next;
	*last = wait;
	return wait->number;
}

/*
 * Read the path by which a program at the door was executed; "" if the path cannot be read. The
 * program opens its memory itself: the caller may have no right to attach to it.
 */
static void visitor_path(const struct dt_visitor *visitor, char *path, size_t size)
{
	uint64_t addr;
	ssize_t n = 0;
	int fd;

	if (dt_auxv(visitor->pid, AT_EXECFN, &addr)) {
		fd = visitor->remote->ops->memory(visitor->remote);
		if (fd >= 0) {
			n = pread(fd, path, size - 1, (off_t)addr);
			close(fd);
		}
	}
	path[n > 0 ? n : 0] = '\0';
}

/* Return whether a path matches a name: a base name without a slash, else the whole path. */
static bool name_fits(const char *name, const char *path)
{
	const char *base = strrchr(path, '/');

	return strcmp(name, base && !strchr(name, '/') ? base + 1 : path) == 0;
}

/* Return whether a program has just started: dtrace does not know it, and it registers probes. */
static bool visitor_starts(struct traced_session *session, const struct dt_visitor *visitor)
{
	if (traced_by_pid(session, visitor->pid))
		return false;
	for (size_t i = 0; i < visitor->nitems; i++)
		if (visitor->items[i].dof)
			return true;
	return false;
}

struct traced_wait *traced_wait_for(struct traced_session *session,
				    const struct dt_visitor *visitor)
{
	struct traced_wait *wait = session->waits;
	char path[PATH_MAX];

	while (wait && wait->pid)
		wait = wait->next;
	if (!wait || !visitor_starts(session, visitor))
		return NULL;
	visitor_path(visitor, path, sizeof(path));
	for (; wait; wait = wait->next)
		if (!wait->pid && name_fits(wait->name, path))
			return wait;
	return NULL;
}

void traced_wait_keep(struct traced_wait *wait, struct dt_visitor *visitor)
{
	wait->pid = visitor->pid;
	wait->remote = visitor->remote;
}

bool traced_arrived(struct traced_session *session, dtrace_stopped_t *stopped)
{
	struct traced_wait *wait = session->waits;

	while (wait && (wait->told || !wait->pid))
		wait = wait->next;
	if (!wait)
		return traced_stops_arrived(session, stopped);
	wait->told = true;
	*stopped = (dtrace_stopped_t){.dtfd_pid = wait->pid,
				      .dtfd_tid = wait->pid,
				      .dtfd_point = (uint32_t)wait->number,
				      .dtfd_flags = wait->remote ? DTRACE_STOP_STOPPED : 0};
	return true;
}

/* Let a program go on. Return whether it was still waiting. */
static bool wait_release(struct traced_wait *wait)
{
	bool waited = wait->remote && dt_door_remote_keepalive(wait->remote) == 0;

	if (wait->remote)
		wait->remote->ops->end(wait->remote);
	wait->remote = NULL;
	return waited;
}

/* Extend the wait of a program. Forget the program if it has gone on or ended. */
static void wait_keepalive(struct traced_wait *wait)
{
	if (wait->remote && dt_door_remote_keepalive(wait->remote) != 0)
		wait_release(wait);
}

void traced_keepalive(struct traced_session *session)
{
	for (struct traced_wait *wait = session->waits; wait; wait = wait->next)
		wait_keepalive(wait);
}

struct dt_remote *traced_waiting(struct traced_session *session, pid_t pid)
{
	for (struct traced_wait *wait = session->waits; wait; wait = wait->next)
		if (wait->pid == pid && wait->remote) {
			wait_keepalive(wait);
			return wait->remote;
		}
	return NULL;
}

int traced_await_end(struct traced_session *session, int number)
{
	for (struct traced_wait **at = &session->waits, *wait; (wait = *at); at = &wait->next)
		if (wait->number == number) {
			bool waited = wait_release(wait);

			*at = wait->next;
			free(wait);
			return waited;
		}
	return traced_stop_end(session, number);
}

int traced_await_release(struct traced_session *session, pid_t pid)
{
	for (struct traced_wait *wait = session->waits; wait; wait = wait->next)
		if (wait->pid == pid && wait->remote)
			return wait_release(wait) ? 0 : -ESRCH;
	return traced_stops_release(session, pid) ? 0 : -ESRCH;
}

void traced_await_fini(struct traced_session *session)
{
	while (session->waits)
		traced_await_end(session, session->waits->number);
}
