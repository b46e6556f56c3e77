/* SPDX-License-Identifier: MIT */
/* refusal.c - why a process cannot be joined, for messages. */
#include <elf.h>
#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../process/memory.h"
#include "procfs.h"
#include "refusal.h"
#include "seize.h"

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

/* Replace control characters by question marks in a text of which a process has a part. */
static void why_clean(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < ' ' || *c == 0x7f || (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
			*c = '?';
}

int dt_why(char *why, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, DT_WHYLEN, format, ap);
	va_end(ap);
	why_clean(why);
	return error;
}

/* Return what follows a name in the text of /proc/PID/status, an empty text if it is not there. */
static const char *status_field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? at + strlen(name) : "";
}

/* Return the tracer in the text of /proc/PID/status, 0 if there is none. */
static pid_t status_tracer(const char *status)
{
	return atoi(status_field(status, "\nTracerPid:\t"));
}

pid_t dt_tracer(pid_t pid, pid_t tid)
{
	char status[4096];

	dt_proc_read(status, sizeof(status), "/proc/%d/task/%d/status", pid, tid);
	return status_tracer(status);
}

static int refuse_traced(char *why, pid_t pid, pid_t tracer)
{
	char name[32];

	dt_proc_read(name, sizeof(name), "/proc/%d/comm", tracer);
	name[strcspn(name, "\n")] = '\0';
	return dt_why(why, -EBUSY, "process %d is being debugged by %s (%d)", pid,
		      *name ? name : "another process", tracer);
}

/* Return whether the process is one of 32 bits, or a thread of the kernel (*has is false). */
static bool is_narrow(pid_t pid, bool *has)
{
	uint64_t size;

	*has = dt_auxv(pid, AT_PHENT, &size);
	return *has && size == sizeof(Elf32_Phdr);
}

int dt_refusal(pid_t pid, char *why)
{
	char status[4096];
	pid_t tracer;
	bool has;

	if (!dt_proc_read(status, sizeof(status), "/proc/%d/status", pid))
		return dt_why(why, -ESRCH, "there is no process %d", pid);
	if (strchr("ZX", *status_field(status, "\nState:\t")))
		return dt_why(why, -ESRCH, "process %d has ended", pid);
	if (atoi(status_field(status, "\nTgid:\t")) == getpid())
		return dt_why(why, -ENOTSUP, "process %d is the tracer itself", pid);
	tracer = status_tracer(status);
	if (tracer && tracer != gettid())
		return refuse_traced(why, pid, tracer);
	if (atoi(status_field(status, "\nSeccomp:\t")))
		return dt_why(why, -ENOTSUP,
			      "process %d has a filter of system calls (seccomp), which might kill "
			      "it: start it with -c",
			      pid);
	if (is_narrow(pid, &has))
		return dt_why(why, -ENOTSUP,
			      "process %d is a 32-bit process: probes of it need the kernel module "
			      "(modprobe dtrace, as root)",
			      pid);
	if (!has && atoi(status_field(status, "\nKthread:\t")))
		return dt_why(why, -ENOTSUP, "process %d is a thread of the kernel", pid);
	return 0;
}

/* Return whether one of the four user ids of a process is not the caller's. Set *uid to it. */
static bool has_other_user(const char *status, uid_t *uid)
{
	const char *at = status_field(status, "\nUid:\t");

	for (int i = 0; i < 3; i++) {
		char *end;

		*uid = (uid_t)strtoul(at, &end, 10);
		if (*uid != geteuid())
			return true;
		at = end;
	}
	return false;
}

static int refuse_user(char *why, pid_t pid, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	return dt_why(why, -EPERM,
		      "process %d is not yours, but that of user %s (%u): permission denied", pid,
		      user ? user->pw_name : "unknown", (unsigned int)uid);
}

int dt_refusal_denied(pid_t pid, pid_t tid, char *why)
{
	char status[4096], scope[16] = "";
	pid_t tracer;
	uid_t uid;

	if (!dt_proc_read(status, sizeof(status), "/proc/%d/task/%d/status", pid, tid))
		return dt_why(why, -ESRCH, "process %d has ended", pid);
	tracer = status_tracer(status);
	if (tracer)
		return refuse_traced(why, pid, tracer);
	if (atoi(status_field(status, "\nKthread:\t")))
		return dt_why(why, -ENOTSUP, "process %d is a thread of the kernel", pid);
	if (geteuid() && has_other_user(status, &uid))
		return refuse_user(why, pid, uid);
	if (geteuid() && dt_proc_owner(pid, &uid) == 0 && uid != geteuid())
		return dt_why(why, -EPERM,
			      "process %d may not be traced: it has gained rights by its file, or "
			      "hides its memory (PR_SET_DUMPABLE): permission denied",
			      pid);
	dt_proc_read(scope, sizeof(scope), YAMA);
	switch (atoi(scope)) {
	case 0:
		return dt_why(why, -EPERM,
			      "process %d may not be traced: permission denied by the kernel: the "
			      "process has rights that you lack, or a security module protects it",
			      pid);
	case 1:
		return dt_why(why, -EPERM,
			      "process %d may not be traced: kernel.yama.ptrace_scope is 1: start "
			      "it with -c, or have root give you dtrace_proc in "
			      "/etc/dtrace/policy",
			      pid);
	default:
		return dt_why(why, -EPERM,
			      "process %d may not be traced: kernel.yama.ptrace_scope is %d: only "
			      "root can change that",
			      pid, atoi(scope));
	}
}
