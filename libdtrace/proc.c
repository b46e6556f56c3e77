/* SPDX-License-Identifier: MIT */
/* proc.c - the processes that a session is about: created or grabbed, followed until they end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "compile/format.h"
#include "pid/pid.h"
#include "process/memory.h"
#include "process/process.h"
#include "process/procfs.h"
#include "process/start.h"
#include "process/startup.h"
#include "process/stop.h"
#include "proc.h"
#include "symbols/unwind.h"
#include "symbols/user_symbol.h"
#include "usdt/process_sites.h"

#define REFRESH 1000000000ULL /* ns between looks at the mappings */

/*
 * Add a process to the end of the list; the first is $target. Return it, or NULL with ENOMEM,
 * EDT_PROC or the errno of pidfd_open().
 */
static struct ps_prochandle *proc_add(dtrace_hdl_t *dtp, pid_t pid)
{
	struct ps_prochandle *proc = calloc(1, sizeof(*proc)), **last;

	if (!proc) {
		dt_set_errno(dtp, ENOMEM);
		return NULL;
	}
	proc->pid = pid;
	proc->fd = syscall(SYS_pidfd_open, pid, 0);
	if (proc->fd == -1) {
		if (errno == EPERM)
			dt_set_error(dtp, EDT_PROC, DT_FILTER_FORBIDS("pidfd_open()"));
		else
			dt_set_errno(dtp, errno);
		free(proc);
		return NULL;
	}
	for (last = &dtp->procs; *last; last = &(*last)->next)
		;
	*last = proc;
	if (dtp->target == 0)
		dtp->target = pid;
	return proc;
}

/* Add a stopped child. Return NULL as proc_add() does; then the child is killed. */
static struct ps_prochandle *proc_add_child(dtrace_hdl_t *dtp, pid_t pid)
{
	struct ps_prochandle *proc = proc_add(dtp, pid);

	if (!proc)
		dt_proc_kill(pid);
	else
		proc->created = proc->stopped = true;
	return proc;
}

/* Tell the handler the error of the handle, and clear it: the rest of the process can be traced. */
static void proc_complain(dtrace_hdl_t *dtp, pid_t pid)
{
	dtrace_procdata_t data = {
		.dtpcd_handle = dtp,
		.dtpcd_pid = pid,
		.dtpcd_status = -1,
		.dtpcd_msg = dtrace_errmsg(dtp, dtp->error),
	};

	if (dtp->handlers.proc)
		dtp->handlers.proc(&data, dtp->handlers.procarg);
	dt_set_errno(dtp, 0);
}

void dt_proc_register(dtrace_hdl_t *dtp, pid_t pid,
		      bool (*filter)(void *arg, const struct dt_mapping *map), void *arg)
{
	dt_user_refresh(dtp, pid);
	if (process_sites_register(dtp, pid, filter, arg) != 0)
		proc_complain(dtp, pid);
}

bool dt_proc_is_ours(const dtrace_hdl_t *dtp, pid_t pid)
{
	for (const struct ps_prochandle *proc = dtp->procs; proc; proc = proc->next)
		if (proc->pid == pid)
			return true;
	return false;
}

/*
 * Create a process, stopped by a stop point, with its probes registered. Return NULL with EDT_PROC.
 */
static struct ps_prochandle *create_at_stop_point(dtrace_hdl_t *dtp, const char *file,
						  char *const *argv)
{
	struct ps_prochandle *proc;
	struct dt_startup startup;
	pid_t pid = dt_create(dtp, file, argv, &startup);

	if (pid == -1)
		return NULL;
	proc = proc_add_child(dtp, pid);
	if (!proc) {
		dt_startup_end(dtp, &startup);
		return NULL;
	}
	dt_startup_hand_over(dtp, &startup, proc);
	/* At its first instruction the process is not relocated, and could not register yet. */
	if (dtp->copts[DT_COPT_EVALTIME] != DT_EVAL_EXEC)
		dt_proc_register(dtp, pid, NULL, NULL);
	return proc;
}

/*
 * Create a process in a world without stop points, with its probes registered if they can be
 * traced.
 */
static struct ps_prochandle *create_by_ptrace(dtrace_hdl_t *dtp, const char *file,
					      char *const *argv)
{
	enum dt_evaltime where = dtp->copts[DT_COPT_EVALTIME];
	pid_t pid = dt_start(dtp, file, argv, where);
	struct ps_prochandle *proc = pid != -1 ? proc_add_child(dtp, pid) : NULL;

	if (proc && where != DT_EVAL_EXEC && !dt_world_lacks_processes(dtp))
		dt_proc_register(dtp, pid, NULL, NULL);
	return proc;
}

struct ps_prochandle *dtrace_proc_create(dtrace_hdl_t *dtp, const char *file, char *const *argv)
{
	return dt_world_has_stop_points(dtp) ? create_at_stop_point(dtp, file, argv)
					     : create_by_ptrace(dtp, file, argv);
}

/* Return whether a process has ended. A zombie has. */
static bool proc_ended(const struct ps_prochandle *proc)
{
	struct pollfd pfd = {.fd = proc->fd, .events = POLLIN};

	return poll(&pfd, 1, 0) == 1;
}

/* Set EDT_NOTARGET and a message. Return NULL. */
static struct ps_prochandle *grab_fail(dtrace_hdl_t *dtp, pid_t pid, const char *why)
{
	dt_set_error(dtp, EDT_NOTARGET, "failed to grab process %d: %s", (int)pid, why);
	return NULL;
}

/* Return why a process cannot be traced, NULL if it can. */
static const char *proc_fault(dtrace_hdl_t *dtp, const struct ps_prochandle *proc)
{
	if (proc_ended(proc))
		return "it has ended, though its parent has not taken note";
	if (!dt_stop_may_trace(dtp, proc->pid))
		return "permission denied: it is another user's, has rights that its user has not, "
		       "or may not be read";
	return NULL;
}

/*
 * Tell the handler if only the parents of a process may work in it, so that it has no static
 * probes.
 */
static void proc_tell_unreadable(dtrace_hdl_t *dtp, pid_t pid)
{
	const int fd = dt_memory_open(pid, O_RDONLY);

	if (fd != -1) {
		close(fd);
	} else if (errno == EACCES || errno == EPERM) {
		dt_set_error(
			dtp, EDT_PROC,
			"its memory may not be read: kernel.yama.ptrace_scope, or another security "
			"module, forbids it: start it with -c, or have root set that to 0");
		proc_complain(dtp, pid);
	}
}

struct ps_prochandle *dtrace_proc_grab(dtrace_hdl_t *dtp, pid_t pid)
{
	struct ps_prochandle *proc = pid > 0 ? proc_add(dtp, pid) : NULL;
	const char *fault = proc ? proc_fault(dtp, proc) : NULL;

	if (pid <= 0 || (!proc && dtp->error == ESRCH))
		return grab_fail(dtp, pid, "no such process");
	if (!proc && (dtp->error == EINVAL || dtp->error == ENOENT))
		return grab_fail(dtp, pid, "it is a thread, not a process");
	if (!proc)
		return NULL;
	if (fault) {
		dtrace_proc_release(dtp, proc);
		return grab_fail(dtp, pid, fault);
	}
	if (!dt_world_has_stop_points(dtp))
		proc_tell_unreadable(dtp, pid);
	dt_proc_register(dtp, pid, NULL, NULL);
	return proc;
}

/*
 * Let a process go on from where it is stopped. Tell the handler if it has gone on before, or has
 * ended.
 */
static void proc_continue(dtrace_hdl_t *dtp, struct ps_prochandle *proc)
{
	bool stopped;

	if (proc->stop_point) {
		stopped = dt_stop_end(dtp, proc->stop_point);
		proc->stop_point = 0;
	} else {
		stopped = !proc_ended(proc);
		dt_start_release(proc->pid);
	}
	if (stopped)
		return;
	dt_set_error(dtp, EDT_PROC,
		     proc_ended(proc)
			     ? "it ended before tracing began: nothing that it did was traced"
			     : "it could not be stopped until now: what it did first was not "
			       "traced");
	proc_complain(dtp, proc->pid);
}

void dtrace_proc_continue(dtrace_hdl_t *dtp, struct ps_prochandle *proc)
{
	if (!proc->stopped)
		return;
	dt_user_refresh(dtp, proc->pid);
	proc->stopped = false;
	proc_continue(dtp, proc);
}

/* Free a process; kill a child that is still stopped. */
static void proc_free(struct ps_prochandle *proc)
{
	if (proc->stopped && proc->created)
		dt_proc_kill(proc->pid);
	close(proc->fd);
	free(proc);
}

void dtrace_proc_release(dtrace_hdl_t *dtp, struct ps_prochandle *proc)
{
	int point = proc->stop_point;

	for (struct ps_prochandle **at = &dtp->procs; *at; at = &(*at)->next)
		if (*at == proc) {
			*at = proc->next;
			break;
		}
	if (dtp->target == proc->pid)
		dtp->target = dtp->procs ? dtp->procs->pid : 0;
	proc_free(proc);
	if (point != 0)
		dt_stop_end(dtp, point);
}

pid_t dtrace_proc_pid(const struct ps_prochandle *proc)
{
	return proc->pid;
}

int dt_procs_fds(dtrace_hdl_t *dtp, struct pollfd *fds, int max)
{
	int n = dt_world_fds(dtp, DT_WORLD_STOPS, fds, max);

	for (struct ps_prochandle *proc = dtp->procs; proc && n < max; proc = proc->next)
		if (!proc->ended)
			fds[n++] = (struct pollfd){.fd = proc->fd, .events = POLLIN};
	return n;
}

/*
 * Take the status of a process that has ended, and tell the handler. Return 0 or -1 with
 * EDT_HANDLER.
 */
static int proc_end(dtrace_hdl_t *dtp, struct ps_prochandle *proc)
{
	dtrace_procdata_t data = {.dtpcd_handle = dtp, .dtpcd_pid = proc->pid, .dtpcd_status = -1};
	int status;

	if (proc->created && waitpid(proc->pid, &status, WNOHANG | __WALL) == proc->pid)
		data.dtpcd_status = status;
	proc->ended = true;
	proc->stopped = false;
	if (dtp->handlers.proc &&
	    dtp->handlers.proc(&data, dtp->handlers.procarg) == DTRACE_HANDLE_ABORT)
		return dt_set_errno(dtp, EDT_HANDLER);
	return 0;
}

/* Return whether the output of a statement shows addresses of processes as symbols. */
static bool stmt_has_symbols(const dt_stmt_t *stmt)
{
	for (uint32_t i = 0; i < stmt->nactions; i++)
		if (DTRACEACT_CLASS(stmt->actions[i].kind) == DTRACEACT_PROC)
			return true;
	for (uint32_t i = 0; stmt->format && i < stmt->format->nconvs; i++)
		if (strcmp(stmt->format->convs[i].conv, "A") == 0)
			return true;
	return false;
}

/* Return whether a program shows addresses of processes: only then their mappings are needed. */
static bool procs_have_symbols(dtrace_hdl_t *dtp)
{
	for (uint32_t i = 0; i < dtp->nstmts; i++)
		if (stmt_has_symbols(dtp->stmts[i]))
			return true;
	return false;
}

/* Take note of what the world has met; a dt_world_met_f. */
static void procs_met(void *arg, enum dt_world_met met, pid_t pid, pid_t parent)
{
	dtrace_hdl_t *dtp = arg;

	if (met == DT_WORLD_PROGRAM)
		dt_unwind_know(dtp, pid);
	if (!dtp->user)
		return;
	if (met == DT_WORLD_CHILD)
		dt_user_child(dtp, pid, parent);
	else
		dt_user_know(dtp, pid);
}

void dt_procs_go(dtrace_hdl_t *dtp)
{
	if (procs_have_symbols(dtp)) {
		dt_user_follow(dtp);
		for (struct ps_prochandle *proc = dtp->procs; proc; proc = proc->next)
			dt_user_know(dtp, proc->pid);
	}
	dt_unwind_go(dtp);
	dt_world_follow(dtp, procs_met, dtp);
}

uint64_t dt_procs_due(const dtrace_hdl_t *dtp)
{
	return dt_unwind_due(dtp->unwind);
}

/* Tell the handler what the world has to say of processes. */
static void procs_complain(dtrace_hdl_t *dtp)
{
	char text[256];
	pid_t pid;

	while (dt_world_complaint(dtp, &pid, text, sizeof(text))) {
		dt_set_error(dtp, EDT_PROC, "%s", text);
		proc_complain(dtp, pid);
	}
}

bool dt_procs_refused(dtrace_hdl_t *dtp)
{
	char text[256];
	pid_t pid;

	while (dt_world_complaint(dtp, &pid, text, sizeof(text))) {
		if (pid != getpid()) {
			dt_set_error(dtp, EDT_NOTARGET, "pid %d: %s", (int)pid, text);
			return true;
		}
		dt_set_error(dtp, EDT_PROC, "%s", text);
		proc_complain(dtp, pid);
	}
	return false;
}

int dt_procs_work(dtrace_hdl_t *dtp)
{
	bool refresh;

	dt_stop_work(dtp);
	procs_complain(dtp);
	dt_pid_follow(dtp);
	dt_unwind_work(dtp);
	refresh = dt_now() >= dtp->nextmaps && procs_have_symbols(dtp);
	if (refresh) {
		dtp->nextmaps = dt_now() + REFRESH;
		dt_user_work(dtp);
	}
	for (struct ps_prochandle *proc = dtp->procs; proc; proc = proc->next) {
		if (proc->ended)
			continue;
		if (proc_ended(proc)) {
			if (proc_end(dtp, proc) != 0)
				return -1;
		} else if (refresh) {
			dt_user_refresh(dtp, proc->pid);
		}
	}
	return 0;
}

/* Children end with the session. */
void dt_procs_fini(dtrace_hdl_t *dtp)
{
	struct ps_prochandle *next;

	for (struct ps_prochandle *proc = dtp->procs; proc; proc = next) {
		next = proc->next;
		proc->stopped |= proc->created && !proc->ended;
		proc_free(proc);
	}
	dt_user_fini(dtp->user);
	dt_wait_fini(dtp);
	dt_stop_fini(dtp->stop_points);
	dt_unwind_fini(dtp->unwind);
	dt_pid_fini(dtp->pid);
	dtp->procs = NULL;
	dtp->user = NULL;
	dtp->stop_points = NULL;
	dtp->unwind = NULL;
	dtp->pid = NULL;
}
