/* SPDX-License-Identifier: MIT */
/* start.h - the start of a program under ptrace, without the kernel module's help. (start.c) */
#ifndef DT_START_H
#define DT_START_H

#include "../handle.h"

/*
 * dt_start - fork, execute file with argv, and run it up to the place that evaltime names; it stays
 * stopped under ptrace, to be killed should we end. The pid, or -1 with EDT_PROC and a text.
 */
pid_t dt_start(dtrace_hdl_t *dtp, const char *file, char *const *argv, enum dt_evaltime where);
/*
 * dt_start_fail - -1, with EDT_PROC and a text. dt_start_died - likewise, for a status of wait: it ended
 * before it was where it is to be held.
 */
int dt_start_fail(dtrace_hdl_t *dtp, const char *file, const char *what);
int dt_start_died(dtrace_hdl_t *dtp, const char *file, int status);
/* dt_start_release - let it run on, free of us. */
void dt_start_release(pid_t pid);
/* dt_proc_kill - kill a child that nobody will let run, and take its status. */
void dt_proc_kill(pid_t pid);

#endif
