/* SPDX-License-Identifier: MIT */
/* process.h - a process that a session is about, and how it is created. */
#ifndef DT_PROCESS_H
#define DT_PROCESS_H

#include "../handle.h"

struct ps_prochandle {
	struct ps_prochandle *next;
	pid_t pid;
	int fd;				/* pidfd */
	bool created;			/* by us: it is our child */
	bool held;			/* until dtrace_proc_continue */
	int watch;			/* by this watch; 0: by ptrace */
	bool ended;
};

struct dt_arrival;			/* startup.h */

/*
 * dt_create - fork, execute file with argv, and have it held where option evaltime says: then it can
 * be handed on. Needs the device. The pid, or -1 with EDT_PROC and a text. (create.c)
 */
pid_t dt_create(dtrace_hdl_t *dtp, const char *file, char *const *argv, struct dt_arrival *arr);
/* dt_proc_held - a process is held by a watch until dtrace_proc_continue. (startup.c) */
void dt_proc_held(struct ps_prochandle *proc, int watch);
/* dt_expected_fini - forget who is waited for. (wait.c) */
void dt_expected_fini(dtrace_hdl_t *dtp);

#endif
