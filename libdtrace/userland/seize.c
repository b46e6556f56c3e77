/* SPDX-License-Identifier: MIT */
/* seize.c - stops threads of other processes by ptrace. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../handle.h"
#include "../list.h"
#include "../process/procfs.h"
#include "../process/start.h"
#include "access.h"
#include "seize.h"

#define PATIENCE 1000000000ULL	/* ns to wait for a thread in uninterruptible sleep */
#define BUSY	 30000000000ULL /* more ns for other threads, which may wait for a processor */
#define YIELDS	 32		/* before the wait sleeps */
#define LONGEST	 1000000	/* ns of one sleep */
#define LOOKED	 64		/* threads to compare */

/* Return the state of a thread, a letter of proc(5); 0: it has ended. */
static char thread_state(pid_t pid, pid_t tid)
{
	char stat[512];
	const char *end;

	if (!dt_proc_read(stat, sizeof(stat), "/proc/%d/task/%d/stat", pid, tid))
		return 0;
	end = strrchr(stat, ')');
	return end && end[1] ? end[2] : 0;
}

/* ---- threads that stop too late ---- */

static _Thread_local struct {
	pid_t *list;
	size_t n;
} late;

/* Return whether a thread is the main thread of a child of dtrace. */
static bool is_child(pid_t tid)
{
	return (pid_t)dt_proc_stat(tid, DT_PROC_PARENT) == getpid() &&
	       (int)dt_proc_stat(tid, DT_PROC_EXIT_SIGNAL) != -1;
}

/* The status of a child that has ended is left for its owner. */
void dt_seize_reap(void)
{
	for (size_t i = late.n; i-- > 0;) {
		const pid_t tid = late.list[i];
		siginfo_t info = {0};
		int error = waitid(P_PID, (id_t)tid, &info,
				   WSTOPPED | (is_child(tid) ? 0 : WEXITED) | __WALL | WNOHANG);

		if (!error && !info.si_pid)
			continue;
		if (!error && info.si_code == CLD_TRAPPED &&
		    ptrace(PTRACE_DETACH, tid, NULL,
			   info.si_status >> 8 ? NULL : (void *)(uintptr_t)info.si_status) == -1)
			continue;
		late.list[i] = late.list[--late.n];
	}
}

/* Without memory the thread goes on when the caller ends. */
void dt_seize_late(pid_t tid)
{
	pid_t *more = dt_list_grow(late.list, late.n, sizeof(*more));

	if (!more)
		return;
	late.list = more;
	late.list[late.n++] = tid;
}

/* ---- threads that are followed through exec ---- */

static _Thread_local struct {
	pid_t *list;
	size_t n;
} followed;

/* Without memory the program ends if dtrace is killed before it lets the thread go. */
void dt_seize_follow(pid_t tid, bool follow)
{
	pid_t *more;
	size_t i = 0;

	while (i < followed.n && followed.list[i] != tid)
		i++;
	if (i < followed.n && !follow)
		followed.list[i] = followed.list[--followed.n];
	more = i == followed.n && follow ? dt_list_grow(followed.list, followed.n, sizeof(*more))
					 : NULL;
	if (!more)
		return;
	followed.list = more;
	followed.list[followed.n++] = tid;
}

int dt_seize_options(pid_t tid)
{
	for (size_t i = 0; i < followed.n; i++)
		if (followed.list[i] == tid)
			return PTRACE_O_TRACEEXEC;
	return DT_START_OPTIONS;
}

/* ---- one thread ---- */

/*
 * A blocking wait could not be limited in time. So the wait yields first, then sleeps for longer
 * and longer.
 */
int dt_seize_wait(pid_t tid, int *status, uint64_t end)
{
	struct timespec nap = {.tv_nsec = 20000};

	for (int i = 0;; i++) {
		pid_t got = waitpid(tid, status, __WALL | WNOHANG);

		if (got == tid)
			return WIFSTOPPED(*status) ? 0 : -ESRCH;
		if (got == -1 && errno != EINTR)
			return -ESRCH;
		if (i < YIELDS) {
			sched_yield();
			continue;
		}
		if (dt_now() > end)
			return -ETIMEDOUT;
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < LONGEST)
			nap.tv_nsec *= 2;
	}
}

/* Ask a thread to stop. Return 0 or a negative errno. */
static int seize_ask(pid_t tid)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) == -1)
		return -errno;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0)
		return 0;
	dt_seize_late(tid);
	return -ESRCH;
}

/*
 * Wait until a thread that was asked has stopped. A signal that comes first is delivered: the
 * thread stops at the first instruction of its handler. It has to be asked again, since any stop
 * fulfils the request. A main thread that has ended cannot be waited for while the process has
 * other threads: its state shows that it has ended. Return 0, -ESRCH or -ETIMEDOUT.
 */
static int seize_stopped(pid_t tid, uint64_t end)
{
	const uint64_t last = end + BUSY;
	int status, error;
	char state;

	for (;;) {
		error = dt_seize_wait(tid, &status, end);
		state = error == -ETIMEDOUT ? thread_state(tid, tid) : 0;
		if (error == -ETIMEDOUT && state != 'D' && state != 'Z' && dt_now() < last) {
			end = dt_now() + LONGEST;
			continue;
		}
		if (error == -ETIMEDOUT)
			dt_seize_late(tid);
		if (state == 'Z')
			return -ESRCH;
		if (error || status >> 16 == PTRACE_EVENT_STOP)
			return error;
		if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == -1 ||
		    ptrace(PTRACE_CONT, tid, NULL,
			   status >> 16 ? NULL : (void *)(uintptr_t)WSTOPSIG(status)) == -1) {
			dt_seize_late(tid);
			return -ESRCH;
		}
	}
}

/* A stopped thread that cannot be released has been killed. */
void dt_seize_release(pid_t tid, int sig)
{
	if (ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)sig) == -1)
		dt_seize_late(tid);
}

/* ---- the choice of a thread ---- */

/* In order of preference. */
enum choice { RUNS, RESTARTS, STOPPED, FAILS, UNFIT };

/* Return whether a stop makes a system call fail with EINTR: see signal(7). */
static bool call_fails(long nr)
{
	static const long calls[] = {SYS_epoll_wait,   SYS_epoll_pwait,	  SYS_epoll_pwait2,
				     SYS_semop,	       SYS_semtimedop,	  SYS_rt_sigtimedwait,
				     SYS_io_getevents, SYS_io_pgetevents, SYS_io_uring_enter};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (nr == calls[i])
			return true;
	return false;
}

/* Rate a thread's suitability for work. */
static enum choice thread_judge(pid_t pid, pid_t tid)
{
	char call[256];

	switch (thread_state(pid, tid)) {
	case 'R':
		return RUNS;
	case 'S':
		dt_proc_read(call, sizeof(call), "/proc/%d/task/%d/syscall", pid, tid);
		return call_fails(atol(call)) ? FAILS : RESTARTS;
	case 'T':
		return STOPPED;
	default:
		return UNFIT;
	}
}

/*
 * Choose a thread. Return it; 0 if no thread is suitable, or a negative errno: the process has no
 * threads.
 */
static pid_t thread_choose(pid_t pid)
{
	enum choice best = UNFIT, is;
	pid_t chosen = 0, tid;
	DIR *threads = dt_proc_list(pid);

	if (!threads)
		return -ESRCH;
	for (int i = 0; best != RUNS && i < LOOKED && (tid = dt_proc_next(threads)); i++) {
		is = thread_judge(pid, tid);
		if (is < best) {
			best = is;
			chosen = tid;
		}
	}
	dt_proc_end(threads);
	return chosen;
}

/* Return whether the calling thread has stopped a thread. */
static bool thread_is_mine(pid_t pid, pid_t tid)
{
	return thread_state(pid, tid) == 't' && dt_tracer(pid, tid) == gettid();
}

bool dt_seize_is_shared(pid_t pid)
{
	DIR *threads = dt_proc_list(pid);
	pid_t tid, tracer;

	do {
		tid = dt_proc_next(threads);
		tracer = tid ? dt_tracer(pid, tid) : 0;
	} while (tid && (!tracer || tracer == gettid()));
	dt_proc_end(threads);
	return tid != 0;
}

pid_t dt_seize(pid_t pid, bool *mine, char *why)
{
	const struct timespec nap = {.tv_nsec = LONGEST};
	const uint64_t end = dt_now() + PATIENCE;
	pid_t tid;
	int error;

	dt_seize_reap();
	*mine = thread_is_mine(pid, pid);
	if (*mine)
		return pid;
	for (;;) {
		tid = thread_choose(pid);
		if (tid < 0)
			return dt_why(why, -ESRCH, "process %d has ended", pid);
		if (!tid && dt_access_check(pid, why) == -ESRCH)
			return -ESRCH;
		error = tid ? seize_ask(tid) : -EAGAIN;
		if (error == -EPERM && dt_tracer(pid, tid) == gettid())
			error = -EAGAIN; /* killed where dtrace had stopped it, and about to end */
		if (error == -EPERM)
			return dt_access_denied(pid, tid, why);
		if (!error)
			error = seize_stopped(tid, end);
		if (!error)
			return tid;
		if (dt_now() > end)
			return dt_why(why, -ETIMEDOUT,
				      "process %d cannot be stopped: it waits for a device, or for "
				      "the exec of its child: try again",
				      pid);
		if (error == -EAGAIN || error == -ESRCH)
			nanosleep(&nap, NULL);
	}
}

/* ---- all threads ---- */

struct thread {
	pid_t tid;
	bool mine; /* stopped before, and stays so */
	bool gone;
};

struct dt_seized {
	pid_t pid;
	struct thread *list;
	size_t n;
};

static bool seized_has(const struct dt_seized *seized, pid_t tid)
{
	for (size_t i = 0; i < seized->n; i++)
		if (seized->list[i].tid == tid)
			return true;
	return false;
}

/* Ask a thread to stop, and add it. Return 0, also if it has ended, or a negative errno. */
static int seized_add(struct dt_seized *seized, pid_t tid, char *why)
{
	struct thread *more;
	int error;

	more = dt_list_grow(seized->list, seized->n, sizeof(*more));
	if (!more)
		return dt_why(why, -ENOMEM, "no memory for the threads of process %d", seized->pid);
	seized->list = more;
	error = seize_ask(tid);
	if (error == -EPERM && thread_is_mine(seized->pid, tid)) {
		seized->list[seized->n++] = (struct thread){.tid = tid, .mine = true};
		return 0;
	}
	if (error == -EPERM && !strchr("ZX", thread_state(seized->pid, tid)))
		return dt_access_denied(seized->pid, tid, why);
	if (!error)
		seized->list[seized->n++] = (struct thread){.tid = tid};
	return 0;
}

/* Ask all new threads to stop. Return their number or a negative errno. */
static int seized_extend(struct dt_seized *seized, char *why)
{
	DIR *threads = dt_proc_list(seized->pid);
	size_t before = seized->n;
	int error = 0;
	pid_t tid;

	if (!threads)
		return dt_why(why, -ESRCH, "process %d has ended", seized->pid);
	while (!error && (tid = dt_proc_next(threads)))
		if (!seized_has(seized, tid))
			error = seized_add(seized, tid, why);
	dt_proc_end(threads);
	return error ? error : (int)(seized->n - before);
}

/*
 * Wait for the threads from an index on, even after a late one, so that the stopped ones can be
 * released. The main thread, which is the first, comes last: if the process is killed, its end can
 * be waited for after that of the others. Return 0 or -ETIMEDOUT.
 */
static int seized_wait(struct dt_seized *seized, size_t from, uint64_t end)
{
	int result = 0;

	for (size_t i = seized->n; i-- > from;) {
		struct thread *thread = &seized->list[i];
		int error = thread->mine ? 0 : seize_stopped(thread->tid, end);

		thread->gone = error != 0;
		if (error == -ETIMEDOUT)
			result = error;
	}
	return result;
}

int dt_seize_all(pid_t pid, struct dt_seized **seized, char *why)
{
	const uint64_t end = dt_now() + PATIENCE;
	struct dt_seized *s = calloc(1, sizeof(*s));
	int added, error = 0;
	size_t done = 0;

	if (!s)
		return dt_why(why, -ENOMEM, "no memory for the threads of process %d", pid);
	s->pid = pid;
	dt_seize_reap();
	do {
		added = seized_extend(s, why);
		error = seized_wait(s, done, end);
		done = s->n;
	} while (added > 0 && !error);
	if (error && added >= 0)
		error = dt_why(
			why, error,
			"a thread of process %d cannot be stopped: it waits for a device, or "
			"for the exec of its child: try again",
			pid);
	if (added < 0)
		error = added;
	if (!error) {
		*seized = s;
		return 0;
	}
	dt_seized_go(s);
	return error;
}

size_t dt_seized_count(const struct dt_seized *seized)
{
	return seized->n;
}

/* Return the register of a thread at an offset of struct user_regs_struct; 0 if it has ended. */
static uint64_t thread_register(const struct thread *thread, size_t offset)
{
	long value;

	errno = 0;
	value = ptrace(PTRACE_PEEKUSER, thread->tid, (void *)offset, NULL);
	return errno ? 0 : (uint64_t)value;
}

uint64_t dt_seized_ip(const struct dt_seized *seized, size_t i)
{
	return thread_register(&seized->list[i], offsetof(struct user_regs_struct, rip));
}

uint64_t dt_seized_sp(const struct dt_seized *seized, size_t i)
{
	return thread_register(&seized->list[i], offsetof(struct user_regs_struct, rsp));
}

bool dt_seized_is_within(const struct dt_seized *seized, size_t i, uint64_t start, uint64_t end)
{
	struct user_regs_struct regs;

	return ptrace(PTRACE_GETREGS, seized->list[i].tid, NULL, &regs) == 0 &&
	       (regs.rip - start < end - start || regs.rsp - start <= end - start);
}

int dt_seized_move(struct dt_seized *seized, size_t i, uint64_t ip)
{
	return ptrace(PTRACE_POKEUSER, seized->list[i].tid,
		      (void *)offsetof(struct user_regs_struct, rip), (void *)ip) == -1
		       ? -ESRCH
		       : 0;
}

void dt_seized_go(struct dt_seized *seized)
{
	for (size_t i = 0; i < seized->n; i++)
		if (!seized->list[i].mine && !seized->list[i].gone)
			dt_seize_release(seized->list[i].tid, 0);
	dt_seize_reap();
	free(seized->list);
	free(seized);
}
