/* SPDX-License-Identifier: MIT */
/* inject.h - work in a running process by one of its threads, which ptrace stops. (inject.c) */
#ifndef DT_USERLAND_INJECT_H
#define DT_USERLAND_INJECT_H

#include "remote.h"
#include "seize.h"

/*
 * Stop one thread of a process for work in it. The other threads run on. If the calling thread has
 * stopped the process by ptrace already, as dt_start() does, that thread is used, and stays stopped
 * after the work. The calling thread must do all the work and end it, soon: the thread stands still.
 * Return 0 and set *remote, which its end() frees. Else return a negative errno of dt_access_check() or
 * dt_seize(), or another of system calls, and the reason in why[DT_WHYLEN]; then nothing has
 * happened to the process.
 *
 * Errors of the operations are those of remote.h; of call() also -EFAULT: the function has crashed,
 * which does not reach the program.
 */
int dt_inject_begin(pid_t pid, struct dt_remote **remote, char *why);

#endif
