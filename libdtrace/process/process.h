/* SPDX-License-Identifier: MIT */
/* process.h - a process that a session is about, and how it is created. */
#ifndef DT_PROCESS_H
#define DT_PROCESS_H

#include "../handle.h"

/* The handle owns it: dtrace_proc_release() and dtrace_close() free it. */
struct ps_prochandle {
	struct ps_prochandle *next;
	pid_t pid;
	int fd;		/* pidfd */
	bool created;	/* it is a child of this process */
	bool stopped;	/* until dtrace_proc_continue() */
	int stop_point; /* at which it is stopped; 0: by ptrace */
	bool ended;
};

struct dt_startup; /* startup.h */

/*
 * Fork, execute file with argv, and stop the process where option evaltime says. The world must
 * take requests about processes.
 *	startup		set by the call; the caller passes it to dt_startup_hand_over() or
 *			dt_startup_end(), and keeps it where it is until then
 * Return the pid, or -1 with EDT_PROC and a message. (create.c)
 */
pid_t dt_create(dtrace_hdl_t *dtp, const char *file, char *const *argv, struct dt_startup *startup);
/* Forget the processes that dtrace_proc_expect() waits for. (wait.c) */
void dt_wait_fini(dtrace_hdl_t *dtp);

#endif
