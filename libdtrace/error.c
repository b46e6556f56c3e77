/* SPDX-License-Identifier: MIT */
/* error.c - error numbers of the library and of clauses, and their texts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine.h"
#include "handle.h"
#include "process/procfs.h"

static const char *const error_texts[EDT_MAX - EDT_BASE] = {
	[EDT_VERSION - EDT_BASE] = "this libdtrace does not have the requested interface version",
	[EDT_COMPILER - EDT_BASE] = "the program could not be compiled",
	[EDT_NODEV - EDT_BASE] = "DTrace device not available on system: there is no " DTRACE_DEVICE
				 ": load the module with `modprobe dtrace`",
	[EDT_ACCESS - EDT_BASE] = "DTrace requires additional privileges: " DTRACE_DEVICE
				  ": permission denied: run as root, or have root give you a right "
				  "in /etc/dtrace/policy",
	[EDT_MODULE - EDT_BASE] = "the loaded dtrace module speaks another interface version: "
				  "load the module that was installed with this command",
	[EDT_BADOPTNAME - EDT_BASE] = "Invalid option name",
	[EDT_BADOPTVAL - EDT_BASE] = "not a value for this option",
	[EDT_BADOPTCTX - EDT_BASE] = "the option cannot be changed now",
	[EDT_OPTUNSUP - EDT_BASE] = "the option is not supported",
	[EDT_NOPROBE - EDT_BASE] = "no such probe",
	[EDT_NOTARGET - EDT_BASE] = "no such process",
	[EDT_PROC - EDT_BASE] = "the process could not be controlled",
	[EDT_ACTIVE - EDT_BASE] = "tracing has already begun",
	[EDT_INACTIVE - EDT_BASE] = "tracing has not begun",
	[EDT_DESTRUCTIVE - EDT_BASE] = "Destructive actions not allowed: give -w or -xdestructive",
	[EDT_BADDOF - EDT_BASE] = "the module refused the program",
	[EDT_NOMATCH - EDT_BASE] = "a probe description matches no probe",
	[EDT_BADDATA - EDT_BASE] = "the trace data is damaged",
	[EDT_BADDESC - EDT_BASE] = "not a probe description",
	[EDT_BADATTR - EDT_BASE] = "not a stability",
	[EDT_HANDLER - EDT_BASE] = "a handler of the program asked to abort",
	[EDT_BUFTOOBIG - EDT_BASE] = "the buffers are too large for the memory: "
				     "lower -xbufsize, -xaggsize or -xdynvarsize",
	[EDT_BUFTOOSMALL - EDT_BASE] = "enabling exceeds size of buffer: raise -xbufsize",
	[EDT_ENDTOOBIG - EDT_BASE] =
		"END enablings exceed size of principal buffer: raise -xbufsize",
	[EDT_SESSIONS - EDT_BASE] = "you have as many tracing sessions as one user may have: end "
				    "one, or have root raise "
				    "/sys/module/dtrace/parameters/user_sessions "
				    "(/proc/dtrace/users shows your usage)",
	[EDT_USERMEM - EDT_BASE] = "your tracing sessions would take more memory than those of one "
				   "user may: end one, lower "
				   "-xbufsize, -xaggsize or -xdynvarsize, or have root raise "
				   "/sys/module/dtrace/parameters/user_memory (/proc/dtrace/users "
				   "shows your usage)",
	[EDT_PROCFS - EDT_BASE] = "/proc shows the processes of another PID namespace: mount the "
				  "/proc of this one (mount -t proc proc /proc)",
	[EDT_FILES - EDT_BASE] = "too many open files: raise the limit of descriptors (ulimit -n, "
				 "prlimit --nofile), or have root raise that of files, "
				 "fs.file-max",
	[EDT_FILTER - EDT_BASE] = DT_FILTER_FORBIDS("memfd_create()"),
};

char *dt_clean(char *text)
{
	for (char *c = text; *c; c++)
		if (dtrace_is_control(c))
			*c = '?';
	return text;
}

int dtrace_errno(dtrace_hdl_t *dtp)
{
	return dtp->error;
}

const char *dtrace_errmsg(dtrace_hdl_t *dtp, int error)
{
	if (dtp && error == dtp->error && dtp->errmsg)
		return dtp->errmsg;
	if (error >= EDT_BASE && error < EDT_MAX)
		return error_texts[error - EDT_BASE];
	if (error == EDQUOT) /* "Disk quota exceeded" says nothing of what is meant */
		return "a limit of one user is reached: /proc/dtrace/users shows which, and root can "
		       "raise the limit of that name in /sys/module/dtrace/parameters (user_...)";
	return strerror(error);
}

int dt_set_errno(dtrace_hdl_t *dtp, int err)
{
	free(dtp->errmsg);
	dtp->errmsg = NULL;
	dtp->error = err;
	return -1;
}

int dt_set_errmsg(dtrace_hdl_t *dtp, const char *message)
{
	return dt_set_error(dtp, EDT_COMPILER, "%s", message);
}

int dt_set_error(dtrace_hdl_t *dtp, int error, const char *format, ...)
{
	char *message = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&message, format, ap) == -1)
		message = NULL;
	va_end(ap);
	dt_set_errno(dtp, error);
	dtp->errmsg = message;
	return -1;
}

const char *dtrace_faultstr(int fault)
{
	switch (fault) {
	case DTRACEFLT_BADADDR:
		return "invalid address";
	case DTRACEFLT_BADALIGN:
		return "invalid alignment";
	case DTRACEFLT_ILLOP:
		return "illegal operation";
	case DTRACEFLT_DIVZERO:
		return "divide-by-zero";
	case DTRACEFLT_NOSCRATCH:
		return "out of scratch space";
	case DTRACEFLT_KPRIV:
		return "invalid kernel access";
	case DTRACEFLT_UPRIV:
		return "invalid user access";
	case DTRACEFLT_TUPOFLOW:
		return "tuple stack overflow";
	case DTRACEFLT_BADSTACK:
		return "bad stack";
	case DTRACEFLT_WORK:
		return "too much work for one firing";
	case DTRACEFLT_LIBRARY:
		return "library-level fault";
	default:
		return "unknown fault";
	}
}
