/* SPDX-License-Identifier: MIT */
/*
 * create.c - starts a program for option -c. The child waits at a gate before its exec until there
 * is a stop point at that exec; startup.c leads it on from there.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "process.h"
#include "start.h"
#include "startup.h"
#include "stop.h"

#define LOOK_MS 20 /* how often to see whether the child has ended on its way */

/* A child at the gate. */
struct child {
	dtrace_hdl_t *dtp;
	const char *file;
	pid_t pid;
	int gate; /* a byte written there opens it; a failed exec writes errno */
};

/* Set EDT_PROC and a message. Return -1. */
static int child_fail(const struct child *child, const char *what)
{
	return dt_start_fail(child->dtp, child->file, what);
}

/* Wait in the child for the gate, and execute file. If the gate is closed, the tracer has ended. */
static void child_exec(const char *file, char *const *argv, int gate)
{
	sigset_t none;
	char open;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	while ((err = read(gate, &open, 1)) == -1 && errno == EINTR)
		;
	if (err == 1) {
		execvp(file, argv);
		err = errno;
		send(gate, &err, sizeof(err), MSG_NOSIGNAL);
	}
	_exit(127);
}

/* Fork a child that waits at its gate. Return 0, or -1 with EDT_PROC. */
static int child_fork(struct child *child, char *const *argv)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == -1)
		return child_fail(child, strerror(errno));
	child->pid = fork();
	if (child->pid == 0) {
		close(fds[0]);
		child_exec(child->file, argv, fds[1]);
	}
	close(fds[1]);
	child->gate = fds[0];
	if (child->pid != -1)
		return 0;
	close(fds[0]);
	return child_fail(child, strerror(errno));
}

/* Set the message for a child that ended; status is that of wait(). Return -1. */
static int child_ended(struct child *child, int status)
{
	int err;

	child->pid = -1;
	if (recv(child->gate, &err, sizeof(err), MSG_DONTWAIT) == sizeof(err))
		return child_fail(child, strerror(err));
	return dt_start_died(child->dtp, child->file, status);
}

/*
 * Wait until the child stops to be traced. Return 0, or -1 with EDT_PROC. The gate does not report
 * the exec: a stopped thread has not closed its end yet.
 */
static int child_wait(struct child *child, const struct dt_startup *startup)
{
	int status;

	while (startup->stage != DT_STAGE_READY) {
		if (waitpid(child->pid, &status, WNOHANG | __WALL) == child->pid)
			return child_ended(child, status);
		if (!dt_stop_wait(child->dtp, LOOK_MS) && errno != EINTR)
			return child_fail(child, strerror(errno));
	}
	return 0;
}

/*
 * Return 0 if the user may trace the child. A program with more rights than the user must not run
 * untraced because of -c.
 */
static int child_check(const struct child *child)
{
	if (dt_stop_may_trace(child->dtp, child->pid))
		return 0;
	return child_fail(child, "permission denied: it has rights that its user has not, or may "
				 "not be read");
}

/* Open the gate, and wait for the child. Return 0, or -1 with EDT_PROC; then the child is gone. */
static int child_start(struct child *child, struct dt_startup *startup)
{
	if (dt_startup_by_pid(child->dtp, startup, child->pid) != 0) {
		child_fail(child, strerror(errno));
		dt_proc_kill(child->pid);
		return -1;
	}
	send(child->gate, "", 1, MSG_NOSIGNAL);
	if (child_wait(child, startup) == 0 && child_check(child) == 0)
		return 0;
	if (child->pid != -1)
		dt_proc_kill(child->pid);
	dt_startup_end(child->dtp, startup);
	return -1;
}

pid_t dt_create(dtrace_hdl_t *dtp, const char *file, char *const *argv, struct dt_startup *startup)
{
	struct child child = {.dtp = dtp, .file = file};
	int error;

	if (child_fork(&child, argv) != 0)
		return -1;
	error = child_start(&child, startup);
	close(child.gate);
	return error == 0 ? child.pid : -1;
}
