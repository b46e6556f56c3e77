/* SPDX-License-Identifier: MIT */
/*
 * execs.c - threads that execute a program. A thread is followed from the stop point before the
 * system call (calls.c) to the first instruction of the new program. There the thread waits until
 * dtrace has found the program's probes.
 *
 * dtrace follows the thread by ptrace, since nothing else can stop a program before its first
 * instruction. This lasts for one exec. Under ptrace, a set-id program would run without the rights
 * of its file. So dtrace looks at the program before, and lets the thread go if the program is
 * set-id, or if dtrace cannot find that out.
 */
#include <errno.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/openat2.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include "../handle.h"
#include "../process/memory.h"
#include "../process/procfs.h"
#include "seize.h"
#include "traced.h"

#define PATIENCE     1000000000ULL /* ns to wait for a thread to stop */
#define LONGEST	     5000000000ULL /* ns from the stop point to the new program */
#define FIND_TRIES   200	   /* to find the thread */
#define INTERPRETERS 5		   /* of scripts */

/* A thread that executes a program. */
struct traced_exec {
	struct traced_exec *next;
	pid_t pid, tid;
	int pidfd;
	const struct traced_execs *execs;
	uint32_t ancestors[USDT_ANCESTORS];
	int number; /* of the stop point */
	int handle; /* once it has been told of; 0: not yet */
	uint64_t end;
	bool entered;	  /* it is in the system call */
	bool interrupted; /* it has been asked to stop, since it takes too long */
	bool arrived;	  /* it is stopped at the first instruction */
};

/* ---- what is executed ---- */

/* Return whether a process has the same root directory as dtrace. */
static bool root_is_own(pid_t pid)
{
	const int fd = dt_proc_open(pid, O_PATH, "root");
	struct stat own, its;
	bool same;

	if (fd == -1)
		return false;
	same = stat("/", &own) == 0 && fstat(fd, &its) == 0 && own.st_dev == its.st_dev &&
	       own.st_ino == its.st_ino;
	close(fd);
	return same;
}

/*
 * Open a file with O_PATH, as a process finds it by a path. from: the name in /proc/PID of the
 * directory at which a relative path begins. Return a descriptor, or -1. Return -1 also for a
 * relative path of a process in another root directory, since its links would be followed from
 * dtrace's root.
 */
static int path_open(pid_t pid, const char *from, const char *path)
{
	const bool absolute = *path == '/';
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int dir, fd;

	if (!*path)
		return dt_proc_open(pid, O_PATH, "%s", from);
	if (root_is_own(pid))
		how.resolve = 0;
	else if (!absolute)
		return -1;
	dir = dt_proc_open(pid, O_PATH | O_DIRECTORY, "%s", absolute ? "root" : from);
	if (dir == -1)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	return fd;
}

/*
 * Return whether a file is readable, and gives no rights to those who execute it. Copy its first
 * bytes to head.
 */
static bool file_is_plain(int fd, char *head, size_t size)
{
	char path[64];
	struct stat st;
	ssize_t n;
	int in;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_mode & (S_ISUID | S_ISGID) ||
	    getxattr(path, "security.capability", NULL, 0) >= 0)
		return false;
	in = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in == -1)
		return false;
	n = pread(in, head, size - 1, 0);
	close(in);
	if (n < 4)
		return false;
	head[n] = '\0';
	return true;
}

/* Copy the interpreter in the first line of a script to path. Return false if the line has none. */
static bool script_interpreter(const char *head, char *path, size_t size)
{
	const char *at = head + 2;
	size_t n;

	at += strspn(at, " \t");
	n = strcspn(at, " \t\r\n");
	if (!n || n >= size || !at[n])
		return false;
	memcpy(path, at, n);
	path[n] = '\0';
	return true;
}

/*
 * Return whether a path leads, through all interpreters of scripts, to a 64-bit program that gives
 * no rights.
 */
static bool path_is_plain(pid_t pid, const char *from, char path[PATH_MAX])
{
	char head[512];

	for (int i = 0; i < INTERPRETERS; i++) {
		int fd = path_open(pid, i ? "cwd" : from, path);
		bool plain = fd != -1 && file_is_plain(fd, head, sizeof(head));

		if (fd != -1)
			close(fd);
		if (!plain)
			return false;
		if (memcmp(head, ELFMAG, SELFMAG) == 0)
			return head[EI_CLASS] == ELFCLASS64;
		if (memcmp(head, "#!", 2) != 0 || !script_interpreter(head, path, PATH_MAX))
			return false;
	}
	return false;
}

/* Read a string of a process. Return false if it is too long, or cannot be read. */
static bool string_read(pid_t pid, uint64_t addr, char text[PATH_MAX])
{
	size_t n = 0;

	while (n < PATH_MAX) {
		size_t more = 256 - (addr + n) % 256; /* to no other page than is needed */

		if (more > PATH_MAX - n)
			more = PATH_MAX - n;
		if (!dt_memory_read(pid, addr + n, text + n, more))
			return false;
		if (memchr(text + n, '\0', more))
			return true;
		n += more;
	}
	return false;
}

/*
 * Return whether the program that a thread is about to execute may be stopped by ptrace. variant:
 * the thread calls execveat().
 */
static bool call_is_plain(pid_t pid, const struct agent_stopped *entry, bool variant)
{
	char path[PATH_MAX], from[32] = "cwd";

	if (!string_read(pid, entry->args[variant ? 1 : 0], path))
		return false;
	if (variant && (int32_t)entry->args[0] != AT_FDCWD)
		snprintf(from, sizeof(from), "fd/%d", (int32_t)entry->args[0]);
	return path_is_plain(pid, from, path);
}

/* ---- the thread ---- */

/* Return the thread of a process that waits for a futex, or 0. */
static pid_t thread_find(pid_t pid, uint64_t futex)
{
	DIR *threads = dt_proc_list(pid);
	char line[256], call[48];
	pid_t tid;

	snprintf(call, sizeof(call), "%d 0x%llx ", SYS_futex, (unsigned long long)futex);
	do {
		tid = dt_proc_next(threads);
		dt_proc_read(line, sizeof(line), "/proc/%d/task/%d/syscall", pid, tid);
	} while (tid && strncmp(line, call, strlen(call)) != 0);
	dt_proc_end(threads);
	return tid;
}

/* Find the thread that waits for a futex. It may be between two waits, so try for a while. */
static pid_t thread_wait(pid_t pid, uint64_t futex)
{
	const struct timespec nap = {.tv_nsec = 100000};
	pid_t tid = 0;

	for (int i = 0; i < FIND_TRIES && !(tid = thread_find(pid, futex)); i++)
		nanosleep(&nap, NULL);
	return tid;
}

bool traced_exec_begin(struct traced_session *session, const struct traced *t, pid_t pid,
		       const struct agent_stopped *entry, uint64_t futex)
{
	const int number = traced_execs_number(t);
	const long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;
	struct traced_exec *exec;
	pid_t tid;

	if (!call_is_plain(pid, entry, entry->point != (uint32_t)number))
		return false;
	tid = thread_wait(pid, futex);
	exec = tid ? calloc(1, sizeof(*exec)) : NULL;
	if (!exec)
		return false;
	exec->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (exec->pidfd == -1 || ptrace(PTRACE_SEIZE, tid, NULL, (void *)options) == -1) {
		if (exec->pidfd != -1)
			close(exec->pidfd);
		free(exec);
		return false;
	}
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	exec->pid = pid;
	exec->tid = tid;
	exec->execs = t->execs;
	traced_ancestors(t, pid, exec->ancestors);
	exec->number = number;
	exec->end = dt_now() + LONGEST;
	exec->next = session->executing;
	session->executing = exec;
	return true;
}

/* Detach from a stopped thread. sig: the signal to deliver to it, or 0. */
static void exec_detach(const struct traced_exec *exec, int sig)
{
	dt_seize_follow(exec->tid, false);
	dt_seize_release(exec->tid, sig);
}

/* Handle a stop at a system call. Return false if the thread does not execute a program. */
static bool exec_call(struct traced_exec *exec)
{
	struct __ptrace_syscall_info info = {0};

	if (ptrace(PTRACE_GET_SYSCALL_INFO, exec->tid, (void *)sizeof(info), &info) <= 0)
		return false;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && exec->entered)
		return false;
	exec->entered = info.op == PTRACE_SYSCALL_INFO_ENTRY &&
			(info.entry.nr == SYS_execve || info.entry.nr == SYS_execveat);
	return true;
}

/* Handle a stop, and let the thread run on. Return false if dtrace has detached from it. */
static bool exec_step(struct traced_session *session, struct traced_exec *exec, int status)
{
	const int event = status >> 8, sig = status & 0xff;
	const bool stops = sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
	struct traced *t;

	if (event == PTRACE_EVENT_EXEC) {
		exec->tid = exec->pid;
		exec->arrived = true;
		dt_seize_follow(exec->tid, true);
		if (traced_get(session, exec->pid, &t) == 0) {
			memcpy(t->usdt.ancestors, exec->ancestors, sizeof(exec->ancestors));
			traced_execs_go_on(t, exec->execs);
		}
		return true;
	}
	if (exec->interrupted || (sig == (SIGTRAP | 0x80) && !exec_call(exec))) {
		exec_detach(exec, event || sig & 0x80 ? 0 : sig);
		return false;
	}
	if (event == PTRACE_EVENT_STOP && stops)
		ptrace(PTRACE_LISTEN, exec->tid, NULL, NULL);
	else
		ptrace(PTRACE_SYSCALL, exec->tid, NULL,
		       (void *)(intptr_t)(event || sig & 0x80 ? 0 : sig));
	return true;
}

/*
 * Return whether the process has ended. If its parent is not dtrace, wait for it: only then can its
 * parent do so.
 */
static bool exec_has_ended(const struct traced_exec *exec)
{
	struct pollfd pfd = {.fd = exec->pidfd, .events = POLLIN};

	if (poll(&pfd, 1, 0) != 1)
		return false;
	if (dt_proc_stat(exec->pid, DT_PROC_PARENT) != (uint64_t)getpid())
		waitpid(exec->pid, NULL, __WALL | WNOHANG);
	return true;
}

/*
 * Handle all stops of a thread. Only dtrace can wait for the end of a thread that is not the first
 * of its process, which does not end before. Return false if dtrace does not follow the thread any
 * more.
 */
static bool exec_look(struct traced_session *session, struct traced_exec *exec)
{
	for (;;) {
		const int ends = exec->tid == exec->pid ? 0 : WEXITED;
		siginfo_t info = {0};

		if (exec_has_ended(exec))
			return false;
		if (exec->arrived)
			return true;
		if (waitid(P_PID, (id_t)exec->tid, &info, WSTOPPED | ends | WNOHANG | __WALL) ==
		    -1) {
			if (errno == EINTR)
				continue;
			if (exec->tid == exec->pid)
				return false;
			exec->tid = exec->pid; /* exec gives a thread the number of its process */
			continue;
		}
		if (!info.si_pid) {
			if (dt_now() > exec->end && !exec->entered && !exec->interrupted)
				exec->interrupted =
					ptrace(PTRACE_INTERRUPT, exec->tid, NULL, NULL) == 0;
			return true;
		}
		if (info.si_code != CLD_TRAPPED || !exec_step(session, exec, info.si_status))
			return false;
	}
}

/* Forget a thread from which dtrace has detached. */
static void exec_remove(struct traced_exec **at)
{
	struct traced_exec *exec = *at;

	*at = exec->next;
	close(exec->pidfd);
	free(exec);
}

void traced_exec_work(struct traced_session *session)
{
	for (struct traced_exec **at = &session->executing, *exec; (exec = *at);) {
		if (exec_look(session, exec)) {
			at = &exec->next;
			continue;
		}
		dt_seize_follow(exec->tid, false);
		exec_remove(at);
	}
}

/* ---- programs that are stopped ---- */

bool traced_exec_arrived(struct traced_session *session, dtrace_stopped_t *stopped)
{
	for (struct traced_exec *exec = session->executing; exec; exec = exec->next) {
		if (!exec->arrived || exec->handle)
			continue;
		exec->handle = traced_handle(session);
		*stopped = (dtrace_stopped_t){.dtfd_pid = exec->pid,
					      .dtfd_tid = exec->handle,
					      .dtfd_point = (uint32_t)exec->number,
					      .dtfd_flags = DTRACE_STOP_STOPPED};
		return true;
	}
	return false;
}

/*
 * Join a stopped program for its stop points alone. A static program without probes has not been
 * joined before: it has no stop point of a dynamic linker.
 */
static void exec_join(struct traced_session *session, const struct traced_exec *exec)
{
	struct traced *t;
	int error;

	if (traced_get(session, exec->pid, &t) != 0 || !t->stops || t->joined)
		return;
	error = traced_update_stops(session, t);
	if (error && error != -ESRCH)
		traced_complain(session, exec->pid, t->why);
}

bool traced_exec_release(struct traced_session *session, int handle)
{
	for (struct traced_exec **at = &session->executing, *exec; (exec = *at); at = &exec->next)
		if (exec->arrived && exec->handle == handle) {
			exec_join(session, exec);
			exec_detach(exec, 0);
			exec_remove(at);
			return true;
		}
	return false;
}

void traced_exec_fini(struct traced_session *session)
{
	struct traced_exec *exec;
	int status;

	while ((exec = session->executing)) {
		if (!exec->arrived && ptrace(PTRACE_INTERRUPT, exec->tid, NULL, NULL) == 0 &&
		    dt_seize_wait(exec->tid, &status, dt_now() + PATIENCE) == -ETIMEDOUT)
			dt_seize_late(exec->tid);
		else
			exec_detach(exec, 0);
		exec_remove(&session->executing);
	}
}
