/* SPDX-License-Identifier: MIT */
/*
 * seize.h - stops threads of other processes by ptrace. (seize.c)
 *
 * Only the thread that has stopped a thread can work on it and release it. A stopped thread is
 * within the kernel's delivery of signals. If the stop has interrupted a system call, the kernel
 * restarts the call as it does after Ctrl-Z and fg.
 */
#ifndef DT_USERLAND_SEIZE_H
#define DT_USERLAND_SEIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DT_WHYLEN 256 /* bytes of a reason, with its NUL */

/*
 * Return 0 if a process may be joined. Else return a negative errno and write the reason to
 * why[DT_WHYLEN]: a message without a full stop that names the process. The errors:
 *	-ESRCH		it has ended, or there is no such process
 *	-ENOTSUP	it has 32-bit code, is filtered by seccomp, or has no program
 *	-EBUSY		another process traces it
 * Whether the kernel permits tracing is only known when a thread is seized.
 */
int dt_access_check(pid_t pid, char *why);

/*
 * Stop one thread of a process: a running one if possible, else one whose system call the kernel
 * restarts. If the calling thread has stopped a thread by ptrace before, return that thread.
 *	*mine	set: it was stopped before, and stays so
 * Return the thread; or a negative errno and the reason in why[DT_WHYLEN]:
 *	-ESRCH		the process has ended
 *	-EPERM		the caller may not trace it; why says what to do
 *	-EBUSY		another process traces it
 *	-ETIMEDOUT	no thread could be stopped, because all are in uninterruptible sleep
 */
pid_t dt_seize(pid_t pid, bool *mine, char *why);
/*
 * Return whether a thread of a process has another tracer than the calling thread. If two tracers
 * have each stopped a thread, at least one of them sees the other.
 */
bool dt_seize_is_shared(pid_t pid);
/*
 * Release a thread that is stopped, together with its interrupted system call. sig: the signal to
 * deliver to it, or 0. If the thread has been killed, leave it to dt_seize_reap().
 */
void dt_seize_release(pid_t tid, int sig);
/*
 * Release threads that have stopped after -ETIMEDOUT, or have ended: before, their parents do not
 * learn of their end. The thread that called dt_seize() calls it from time to time.
 */
void dt_seize_reap(void);
/*
 * Let dt_seize_reap() release a thread, too, once it has stopped or ended. The calling thread has
 * asked it to stop.
 */
void dt_seize_late(pid_t tid);
/*
 * Wait for a thread to stop, until a time of dt_now(). Return 0 and set *status, or -ESRCH or
 * -ETIMEDOUT.
 */
int dt_seize_wait(pid_t tid, int *status, uint64_t end);

/*
 * Note whether the calling thread traces a thread that it has not started. The program of such a
 * thread must survive dtrace.
 */
void dt_seize_follow(pid_t tid, bool follow);
/*
 * Return the options of ptrace for a thread that the calling thread has stopped by ptrace before.
 */
int dt_seize_options(pid_t tid);

/* All threads of a process, stopped. */
struct dt_seized;

/*
 * Stop all threads of a process. Threads that the calling thread has stopped by ptrace before are
 * among them, and stay stopped after dt_seized_go(). Return 0 and set *seized, which dt_seized_go()
 * frees; or return an error as dt_seize() does, and no thread stays stopped.
 */
int dt_seize_all(pid_t pid, struct dt_seized **seized, char *why);
/* Return the number of threads. */
size_t dt_seized_count(const struct dt_seized *seized);
/* Return the instruction pointer of the i-th thread; 0: it has ended. */
uint64_t dt_seized_ip(const struct dt_seized *seized, size_t i);
/* Return the stack pointer of the i-th thread; 0: it has ended. */
uint64_t dt_seized_sp(const struct dt_seized *seized, size_t i);
/*
 * Return whether the instruction pointer or the stack pointer of the i-th thread is from start to
 * before end; false for a thread that has ended.
 */
bool dt_seized_is_within(const struct dt_seized *seized, size_t i, uint64_t start, uint64_t end);
/* Set the instruction pointer of the i-th thread. Return 0, or -ESRCH: the thread has ended. */
int dt_seized_move(struct dt_seized *seized, size_t i, uint64_t ip);
/* Release all threads, and free the structure. */
void dt_seized_go(struct dt_seized *seized);

#endif
