/* SPDX-License-Identifier: MIT */
/*
 * create.c - a program is started for option -c. The child waits at a gate before its exec, until the
 * kernel has been told to hold it there; startup.c brings it on from exec.
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

#define LOOK_MS 20 /* how often to see whether it has ended on its way */

/* A child at the gate. */
struct child {
	dtrace_hdl_t *dtp;
	const char *file;
	pid_t pid;
	int gate; /* what is written there opens it; an exec that fails gives errno */
};

static int child_fail(const struct child *child, const char *what)
{
	return dt_start_fail(child->dtp, child->file, what);
}

/* In the child. A gate that is closed unopened is the end of who would trace it. */
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

static int child_ended(struct child *child, int status)
{
	int err;

	child->pid = -1;
	if (recv(child->gate, &err, sizeof(err), MSG_DONTWAIT) == sizeof(err))
		return child_fail(child, strerror(err));
	return dt_start_died(child->dtp, child->file, status);
}

/*
 * Until it is where it is to be held. That it has executed cannot be told by the gate: what exec
 * closes is closed for others when the thread goes on.
 */
static int child_arrive(struct child *child, const struct dt_arrival *arr)
{
	int status;

	while (arr->stage != DT_STAGE_ARRIVED) {
		if (waitpid(child->pid, &status, WNOHANG | __WALL) == child->pid)
			return child_ended(child, status);
		if (!dt_hold_wait(child->dtp, LOOK_MS) && errno != EINTR)
			return child_fail(child, strerror(errno));
	}
	return 0;
}

/* One that has more rights than we must not run because of us, and unseen. */
static int child_check(const struct child *child)
{
	if (dt_register_may(child->dtp, child->pid))
		return 0;
	return child_fail(child, "permission denied: it has rights that its user has not, or may "
				 "not be read");
}

static int child_start(struct child *child, struct dt_arrival *arr)
{
	if (dt_arrival_by_pid(child->dtp, arr, child->pid) != 0) {
		child_fail(child, strerror(errno));
		dt_proc_kill(child->pid);
		return -1;
	}
	send(child->gate, "", 1, MSG_NOSIGNAL);
	if (child_arrive(child, arr) == 0 && child_check(child) == 0)
		return 0;
	if (child->pid != -1)
		dt_proc_kill(child->pid);
	dt_arrival_drop(child->dtp, arr);
	return -1;
}

pid_t dt_create(dtrace_hdl_t *dtp, const char *file, char *const *argv, struct dt_arrival *arr)
{
	struct child child = {.dtp = dtp, .file = file};
	int error;

	if (child_fork(&child, argv) != 0)
		return -1;
	error = child_start(&child, arr);
	close(child.gate);
	return error == 0 ? child.pid : -1;
}
