/* SPDX-License-Identifier: MIT */
/*
 * pid.h - the pid provider: probes of any function and instruction of a process, made when a
 * description asks for them. (pid.c)
 */
#ifndef DT_PID_H
#define DT_PID_H

#include "../handle.h"

/* Why a description has no probes; the compiler has a tag for each. */
enum dt_pid_fault {
	DT_PID_NONE,
	DT_PID_BADPROV, /* the provider has no process */
	DT_PID_BADPID,	/* it cannot be a process's number */
	DT_PID_GRAB,	/* there is no such process, or it cannot be traced */
	DT_PID_LIB,	/* the process has no such module */
	DT_PID_FUNC,	/* the module has no such function */
	DT_PID_NAME,	/* functions have no such probe */
	DT_PID_OFF,	/* the function ends before that offset */
	DT_PID_ALIGN,	/* no instruction begins there */
	DT_PID_CREATE,	/* the probe could not be made */
	DT_PID_MOVED,	/* its code is not where it was: unmapped, or mapped elsewhere */
	DT_PID_NODEV,	/* the module is not loaded */
	DT_PID_MAX
};

struct dt_pid_error {
	enum dt_pid_fault fault;
	char message[512]; /* what is wrong */
	char hint[512];	   /* what would be right; empty: the usual hint of the error */
};

/* Write the pattern that matches only this name to out, cut to len bytes. (name.c) */
void pid_escape(const char *name, char *out, size_t len);
/*
 * Make the probes of a description whose provider is of processes; ignore other descriptions.
 *	desc	its module and name are replaced by those of the probes
 *	later	the probes may come later: if there are none, that is no error
 * Return 0, or -1 with err. The probes end with the handle.
 */
int dt_pid_describe(dtrace_hdl_t *dtp, dtrace_probedesc_t *desc, bool later,
		    struct dt_pid_error *err);
/*
 * Write to message why the process of a provider pidPID has no probe of a description, and which
 * name was probably meant. Return message, or NULL if there is no reason.
 */
char *dt_pid_hint(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *message, size_t len);
/*
 * Look for enabled sites at which the kernel failed to put a breakpoint. Return -1 with EDT_PROC if
 * a description names one; tell the handler of processes of the others, and return 0.
 */
int dt_pid_report_failed(dtrace_hdl_t *dtp);
/* Add the sites of descriptions in files that processes have mapped since. */
void dt_pid_follow(dtrace_hdl_t *dtp);
/* Free all that the provider has; NULL is allowed. */
void dt_pid_fini(struct dt_pid *pid);

#endif
