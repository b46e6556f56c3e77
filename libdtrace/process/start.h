/* SPDX-License-Identifier: MIT */
/* start.h - the start of a program under ptrace, without the kernel module's help. (start.c) */
#ifndef DT_START_H
#define DT_START_H

#include <sys/ptrace.h>
#include "../handle.h"

/* The options of ptrace for a process that dt_start() has stopped. */
#define DT_START_OPTIONS (PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC)

/*
 * Fork, execute file with argv, and run it up to the point that evaltime names. There it stays
 * stopped under ptrace, and dies if the caller does. Return the pid, or -1 with EDT_PROC and a
 * message.
 */
pid_t dt_start(dtrace_hdl_t *dtp, const char *file, char *const *argv, enum dt_evaltime where);
/* Set EDT_PROC and the message that file could not be started, and why. Return -1. */
int dt_start_fail(dtrace_hdl_t *dtp, const char *file, const char *why);
/*
 * Set EDT_PROC and the message that file ended before it reached its stop point; status is that of
 * wait(). Return -1.
 */
int dt_start_died(dtrace_hdl_t *dtp, const char *file, int status);
/* Let a process that dt_start() has stopped run on, without a tracer. */
void dt_start_release(pid_t pid);
/* Kill a child, and take its status. */
void dt_proc_kill(pid_t pid);

#endif
