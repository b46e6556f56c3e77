/* SPDX-License-Identifier: MIT */
/*
 * dtrace-probes.h - providers and probes that a program makes at run time: for just-in-time
 * compilers, interpreters whose scripts have probes, and plug-ins.
 *
 *	dtp_provider_t *app = dtp_provider_create("app", "script");
 *	const char *types[] = {"int", "char *"};
 *	dtp_probe_t *done = dtp_probe_add(app, "main", "request__done", 2, types);
 *
 *	dtp_provider_enable(app);		now app1234:script:main:request-done exists
 *	if (dtp_enabled(done)) {		a session traces it
 *		uint64_t args[] = {id, (uintptr_t)name};
 *
 *		dtp_fire(done, args);
 *	}
 *
 * Link with the output of `pkg-config --libs dtrace-probes`, or with DTrace::Probes of CMake.
 * dtp_provider_enable() needs neither the kernel module nor a session: sessions that begin later
 * find the probes. A program may ignore a failure: its probes are then not enabled. Machines:
 * x86-64, and aarch64, where there is no module, and dtp_provider_enable() fails.
 *
 * Threads: any thread may call any function at any time, except that an object must not be in use
 * while it is freed or destroyed. fork: the child has copies of its parent's providers, enabled if
 * the parent's were, which are independent from then on. vfork: the child must call no function of
 * this library. exec: all providers end.
 *
 * Functions that fail return NULL or -1 and set errno. The library copies all strings.
 */
#ifndef DTRACE_PROBES_H
#define DTRACE_PROBES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest number of arguments of a probe. D reads arg0 to arg9, and args[0] to args[31]. */
#define DTP_MAXARGS 32

typedef struct dtp_provider dtp_provider_t;

/* A probe. Read it only by dtp_enabled() and dtp_fire(). */
typedef struct dtp_probe {
	const volatile uint16_t *semaphore; /* not 0 while a session traces the probe */
	void (*site)(const uint64_t *args); /* the code with the breakpoint: a NOP and a return */
} dtp_probe_t;

/*
 * Create a provider without probes, which tracers do not see yet.
 *	name	the provider's name, to which dtrace appends the process number: at most 52 letters,
 *		digits and underscores, neither beginning nor ending with a digit; not pid
 *	module	the module of its probes: 1 to 63 characters of ASCII, but no blanks, control
 *		characters or colons
 * Return the provider, which the caller frees with dtp_provider_destroy(), or NULL.
 * Errors: EINVAL, a name does not have this form; ENOMEM.
 */
dtp_provider_t *dtp_provider_create(const char *name, const char *module);

/*
 * Disable a provider, and free it with its probes. No other thread may use any of them. NULL is
 * allowed.
 */
void dtp_provider_destroy(dtp_provider_t *provider);

/*
 * Make the probes that have been added visible to tracers; visible ones stay as they are. After
 * adding probes, call it again, best once for many probes. After about 30 calls that found new
 * probes, a call registers all probes anew; enabled probes may miss firings meanwhile.
 * Return 0, or -1 and errno:
 *	EPERM, ENOSYS, EFBIG	no file can be made in memory (memfd_create, RLIMIT_FSIZE), in which
 *				sessions without the module find the probes; and neither the module
 *				nor a session takes them
 *	ENOENT, ENODEV, EACCES	the machine is not x86-64, and the module is not there
 *	ECANCELED	DTRACE_DOF_INIT_DISABLE is in the environment
 *	ENOSPC, EDQUOT	the process, or the user, has too many probes (dtrace/limits.h)
 *	EMFILE, ENFILE	the process, or the machine, has too many open files
 *	ENOMEM, EINTR	and others of dtrace/helper.h; /proc/dtrace/helper_errors has the reason
 */
int dtp_provider_enable(dtp_provider_t *provider);

/*
 * Hide all probes of a provider; dtp_provider_enable() shows them again. Return 0, or -1 and errno
 * of open(2) if the device of the module cannot be opened any more.
 */
int dtp_provider_disable(dtp_provider_t *provider);

/*
 * Add a probe, which the next dtp_provider_enable() shows.
 *	function	the function part of its name: 1 to 255 characters, as of a module
 *	name		its name: 1 to 63 such characters; __ becomes -
 *	nargs		the number of its arguments, at most DTP_MAXARGS
 *	types		the C type of each argument, at most 127 characters, or NULL if unknown
 * Two probes with the same function and name are two sites of one probe. Give probes of one name
 * the same arguments, because dtrace keeps one list of types for them.
 * Return the probe, which lives until dtp_probe_free() or as long as the provider, or NULL.
 * Errors: EINVAL, a name or type does not have this form; E2BIG, too many arguments; ENOMEM;
 * EACCES, EPERM or ENOSYS, executable memory or memfd_create is forbidden; EFBIG, RLIMIT_FSIZE is
 * too low; EMFILE; ENFILE.
 */
dtp_probe_t *dtp_probe_add(dtp_provider_t *provider, const char *function, const char *name,
			   unsigned int nargs, const char *const *types);

/*
 * Hide a probe for good. Other threads may continue to fire it, without effect. If the probe was
 * shown by the same call as others, those are registered anew and may miss firings meanwhile.
 * Return 0, or -1 and errno as dtp_provider_enable() does; then the others could not be registered
 * and wait for it. ENOENT, ENODEV, EACCES: the device of the module, which knows the probe, cannot
 * be opened any more.
 */
int dtp_probe_remove(dtp_probe_t *probe);

/* Remove a probe and free its memory. No other thread may use it. NULL is allowed. */
void dtp_probe_free(dtp_probe_t *probe);

/* Return whether a session traces the probe. The test is one load and one comparison. */
static inline int dtp_enabled(const dtp_probe_t *probe)
{
	return *probe->semaphore != 0;
}

/*
 * Fire the probe if it is enabled.
 *	args	as many arguments as the probe has. Signed values are sign-extended, as C does when
 *		it converts an int to uint64_t; pointers are converted by uintptr_t; floating-point
 *		values are passed as their bits
 */
static inline void dtp_fire(const dtp_probe_t *probe, const uint64_t *args)
{
	if (dtp_enabled(probe))
		probe->site(args);
}

#ifdef __cplusplus
}
#endif

#endif
