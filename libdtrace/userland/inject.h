/* SPDX-License-Identifier: MIT */
/* inject.h - work in a running process by one of its threads, which ptrace stops. (inject.c) */
#ifndef DT_USERLAND_INJECT_H
#define DT_USERLAND_INJECT_H

#include "remote.h"
#include "seize.h"

/*
 * Stop one thread of a process for work in it. The other threads run on. If the calling thread has
 * stopped the process by ptrace before, as dt_start() does, that thread is used, and stays stopped
 * after the work. The calling thread must do all the work, and end it soon, because the thread
 * stays stopped. Return 0 and set *remote, which its end() frees. On error return a negative errno
 * of dt_access_check(), dt_seize() or a system call, with the reason in why[DT_WHYLEN]; the process
 * is not changed then.
 *
 * Errors of the operations are those of remote.h. call() can also return -EFAULT: the function has
 * crashed, and the program does not notice.
 */
int dt_inject_begin(pid_t pid, struct dt_remote **remote, char *why);

#endif
