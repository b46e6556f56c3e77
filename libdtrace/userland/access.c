/* SPDX-License-Identifier: MIT */
/* access.c - checks whether dtrace may trace a process, and writes the reason if it may not. */
#include <elf.h>
#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include "../handle.h"
#include "../process/mappings.h"
#include "../process/memory.h"
#include "../process/procfs.h"
#include "access.h"
#include "descriptors.h"
#include "seize.h"

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

int dt_why(char *why, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, DT_WHYLEN, format, ap);
	va_end(ap);
	dt_clean(why);
	return error;
}

int dt_why_errno(char *why, int error, const char *what)
{
	if (error == -EMFILE)
		return dt_why(why, error,
			      "%s: the process, or dtrace, has as many descriptors as it may have: "
			      "raise the limit (ulimit -n, prlimit --nofile)",
			      what);
	if (error == -ENFILE)
		return dt_why(why, error,
			      "%s: all processes together have as many open files as they may "
			      "have: have root raise fs.file-max",
			      what);
	if (error == -EFBIG)
		return dt_why(why, error,
			      "%s: dtrace may not make files of that size: "
			      "raise the limit (ulimit -f, prlimit --fsize)",
			      what);
	if (error == -EAGAIN)
		return dt_why(why, error,
			      "%s: the process locks its memory (mlockall), and may not lock more: "
			      "raise its limit (ulimit -l, prlimit --memlock), or use -c",
			      what);
	return dt_why(why, error, "%s: %s", what, strerror(-error));
}

/* Return the value of a field of /proc/PID/status, or "" if the field is missing. */
static const char *status_field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? at + strlen(name) : "";
}

/* Return the tracer in the contents of /proc/PID/status, 0 if there is none. */
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

/*
 * Return whether a process has 32-bit code. Set *has to whether it has a program at all; a kernel
 * thread has none.
 */
static bool is_narrow(pid_t pid, bool *has)
{
	uint64_t size;

	*has = dt_auxv(pid, AT_PHENT, &size);
	return *has && size == sizeof(Elf32_Phdr);
}

/* ---- limits of memory ---- */

#define MAP_COUNT	 "/proc/sys/vm/max_map_count"
#define MAPPINGS	 16 /* that dtrace makes in a process, or more */
#define MB(bytes)	 ((double)(bytes) / (1 << 20))
#define KB(status, name) (strtoull(status_field(status, name), NULL, 10) << 10)

/* Count a mapping. A callback of dt_mappings_all(). */
static int mapping_count(void *arg, const struct dt_mapping *map)
{
	(void)map;
	++*(uint64_t *)arg;
	return 0;
}

/* Return the limit of a resource of a process; RLIM_INFINITY if it is unknown. */
static uint64_t limit_of(pid_t pid, __rlimit_resource_t resource)
{
	struct rlimit limit;

	return prlimit(pid, resource, NULL, &limit) ? RLIM_INFINITY : limit.rlim_cur;
}

int dt_why_memory(char *why, pid_t pid, const char *what, uint64_t size, uint64_t own)
{
	const uint64_t space = limit_of(pid, RLIMIT_AS), data = limit_of(pid, RLIMIT_DATA);
	char status[4096], most[16];
	uint64_t mappings = 0;

	dt_proc_read(status, sizeof(status), "/proc/%d/status", pid);
	dt_proc_read(most, sizeof(most), MAP_COUNT);
	dt_mappings_all(pid, mapping_count, &mappings);
	if (mappings + MAPPINGS > strtoull(most, NULL, 10))
		return dt_why(why, -ENOMEM,
			      "%s: the process has %llu mappings, nearly as many as it may have: "
			      "have root raise vm.max_map_count",
			      what, (unsigned long long)mappings);
	if (KB(status, "\nVmSize:\t") + size > space)
		return dt_why(
			why, -ENOMEM,
			"%s: it takes %.0f MB of address space, and the process may have %.0f "
			"MB in all: raise its limit (ulimit -v, prlimit --as), or lower -b, "
			"-x aggsize and -x dynvarsize",
			what, MB(size), MB(space));
	if (KB(status, "\nVmData:\t") + own > data)
		return dt_why(why, -ENOMEM,
			      "%s: it takes %.1f MB of data, and the process may have %.1f MB in "
			      "all: raise its limit (ulimit -d, prlimit --data)",
			      what, MB(own), MB(data));
	if (limit_of(0, RLIMIT_DATA) != RLIM_INFINITY || limit_of(0, RLIMIT_AS) != RLIM_INFINITY)
		return dt_why(why, -ENOMEM,
			      "%s: dtrace may have reached its limit of memory: raise it "
			      "(ulimit -d, ulimit -v)",
			      what);
	return dt_why(why, -ENOMEM, "%s: the kernel has no memory for it", what);
}

/* ---- filters of system calls ---- */

#define FILTER_MODE 2 /* of Seccomp in /proc/PID/status; 0: no filter, 1: nearly no system calls */

/*
 * Return the number of filters of a thread by its status: 0 without filters, or -1 if the number is
 * unknown.
 */
static long status_filters(const char *status)
{
	const int mode = atoi(status_field(status, "\nSeccomp:\t"));
	const char *n = status_field(status, "\nSeccomp_filters:\t"); /* Linux 5.9 */

	if (!mode)
		return 0;
	return mode == FILTER_MODE && *n ? atol(n) : -1;
}

/*
 * Return the last common ancestor of two processes, which may be one of them; 1 if this namespace
 * has none.
 */
static pid_t common_ancestor(pid_t one, pid_t other)
{
	for (pid_t a = one; a > 1; a = (pid_t)dt_proc_stat(a, DT_PROC_PARENT))
		for (pid_t b = other; b > 1; b = (pid_t)dt_proc_stat(b, DT_PROC_PARENT))
			if (a == b)
				return a;
	return 1;
}

/* Filters are inherited, and never removed. */
long dt_access_filters(pid_t pid)
{
	char status[4096];
	long own;

	dt_proc_read(status, sizeof(status), "/proc/thread-self/status");
	own = status_filters(status);
	if (own <= 0)
		return 0;
	dt_proc_read(status, sizeof(status), "/proc/%d/status", common_ancestor(pid, getpid()));
	return status_filters(status) == own ? own : 0;
}

bool dt_access_filtered(pid_t pid, long shared)
{
	DIR *threads = dt_proc_list(pid);
	char status[4096];
	long n;
	pid_t tid;

	do {
		tid = dt_proc_next(threads);
		dt_proc_read(status, sizeof(status), "/proc/%d/task/%d/status", pid, tid);
		n = status_filters(status);
	} while (tid && (!n || n == shared));
	dt_proc_end(threads);
	return tid != 0;
}

/* ---- checks before ptrace ---- */

#define CHECK_DESCRIPTORS 6 /* that joining a process takes at a time, from these checks on */

int dt_access_check(pid_t pid, char *why)
{
	char status[4096];
	bool has, ended;
	pid_t tracer;
	int error = dt_descriptors_check(CHECK_DESCRIPTORS);

	if (error) {
		snprintf(status, sizeof(status), "process %d cannot be looked at", pid);
		return dt_why_errno(why, error, status);
	}
	if (!dt_proc_read(status, sizeof(status), "/proc/%d/status", pid))
		return dt_why(why, -ESRCH, "there is no process %d", pid);
	ended = strchr("ZX", *status_field(status, "\nState:\t"));
	if (ended && atoi(status_field(status, "\nThreads:\t")) <= 1)
		return dt_why(why, -ESRCH, "process %d has ended", pid);
	if (atoi(status_field(status, "\nTgid:\t")) == getpid())
		return dt_why(why, -ENOTSUP, "process %d is the tracer itself", pid);
	tracer = status_tracer(status);
	if (tracer && tracer != gettid())
		return refuse_traced(why, pid, tracer);
	if (dt_access_filtered(pid, dt_access_filters(pid)))
		return dt_why(why, -ENOTSUP,
			      "process %d has a filter of system calls (seccomp) that dtrace has "
			      "not, and that might kill it: start it with -c",
			      pid);
	if (is_narrow(pid, &has))
		return dt_why(why, -ENOTSUP,
			      "process %d is a 32-bit process: probes of it need the kernel module "
			      "(modprobe dtrace, as root)",
			      pid);
	if (!has && ended)
		return dt_why(why, -ESRCH, "process %d has ended", pid);
	if (!has && atoi(status_field(status, "\nKthread:\t")))
		return dt_why(why, -ENOTSUP, "process %d is a thread of the kernel", pid);
	return 0;
}

/*
 * Return whether one of the real, effective and saved user IDs of a process differs from the
 * caller's, and set *uid to that ID.
 */
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

int dt_access_denied(pid_t pid, pid_t tid, char *why)
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
	if (geteuid() && dt_proc_hides(pid))
		return dt_why(why, -EPERM,
			      "process %d may not be traced: it has gained rights by its file, or "
			      "hides its memory (PR_SET_DUMPABLE): permission denied",
			      pid);
	dt_proc_read(scope, sizeof(scope), YAMA);
	switch (atoi(scope)) {
	case 0:
		if (dt_proc_is_filtered())
			return dt_why(why, -EPERM,
				      "process %d may not be traced: the process has rights that "
				      "you lack, or " DT_FILTER_FORBIDS("ptrace()"),
				      pid);
		return dt_why(why, -EPERM,
			      "process %d may not be traced: permission denied by the kernel: the "
			      "process has rights that you lack, or a security module protects it",
			      pid);
	case 1:
		return dt_why(why, -EPERM,
			      "process %d may not be traced: kernel.yama.ptrace_scope is 1: start "
			      "it with -c, or have root set that to 0",
			      pid);
	default:
		return dt_why(why, -EPERM,
			      "process %d may not be traced: kernel.yama.ptrace_scope is %d: only "
			      "root can change that",
			      pid, atoi(scope));
	}
}
