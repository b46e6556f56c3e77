/* SPDX-License-Identifier: MIT */
/*
 * seize.h - threads of other processes, stopped by ptrace. (seize.c)
 *
 * A thread is stopped by the calling thread, which alone can work on it and let it go. A stopped
 * thread is within the kernel's delivery of signals: if it has left a system call for the stop, the
 * kernel restarts the call as it does after Ctrl-Z and fg.
 */
#ifndef DT_USERLAND_SEIZE_H
#define DT_USERLAND_SEIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DT_WHYLEN 256 /* bytes of a reason, with its NUL */

/*
 * Return 0 if a process may be joined; else a negative errno, and the reason in why[DT_WHYLEN], a
 * message without a full stop that names the process:
 *	-ESRCH		it has ended, or there is no such process
 *	-ENOTSUP	it has 32-bit code, is filtered by seccomp, or has no program
 *	-EBUSY		it is being traced by somebody else
 * Whether the kernel lets the caller trace the process is seen when a thread is seized.
 */
int dt_access_check(pid_t pid, char *why);

/*
 * Stop one thread of a process: one that runs if there is one, else one whose system call the kernel
 * restarts. A thread that the calling thread has stopped by ptrace is taken as it is.
 *	*mine	set: it was stopped before, and stays so
 * Return the thread; or a negative errno and the reason in why[DT_WHYLEN]:
 *	-ESRCH		the process has ended
 *	-EPERM		the caller may not trace it; why says what to do
 *	-EBUSY		it is being traced by somebody else
 *	-ETIMEDOUT	no thread could be stopped, because all are in uninterruptible sleep
 */
pid_t dt_seize(pid_t pid, bool *mine, char *why);
/*
 * Return whether a thread of a process has another tracer than the calling thread. Of two tracers that both have a thread
 * stopped, one at least sees the other.
 */
bool dt_seize_is_shared(pid_t pid);
/* Let a thread go on that dt_seize() has stopped, with the system call that it has left. */
void dt_seize_release(pid_t tid);
/*
 * Let threads go on that have stopped after -ETIMEDOUT. The thread that called dt_seize() calls it
 * from time to time.
 */
void dt_seize_reap(void);
/* Let a thread go as well when it stops, which was asked to by the calling thread. */
void dt_seize_late(pid_t tid);
/* Wait for a thread to stop, until a time of dt_now(). Return 0 and set *status, or -ESRCH or -ETIMEDOUT. */
int dt_seize_wait(pid_t tid, int *status, uint64_t end);

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
/* Return the instruction pointer of the i-th thread. */
uint64_t dt_seized_ip(const struct dt_seized *seized, size_t i);
/*
 * Return whether the instruction pointer or the stack pointer of the i-th thread is from start to before end. A thread that
 * has ended is nowhere.
 */
bool dt_seized_is_within(const struct dt_seized *seized, size_t i, uint64_t start, uint64_t end);
/* Set the instruction pointer of the i-th thread. Return 0, or -ESRCH: the thread has ended. */
int dt_seized_move(struct dt_seized *seized, size_t i, uint64_t ip);
/* Let all threads go on, and free the structure. */
void dt_seized_go(struct dt_seized *seized);

#endif
