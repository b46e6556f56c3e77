/* SPDX-License-Identifier: MIT */
/*
 * dtrace-probes.h - providers and probes that a program makes while it runs: for just-in-time
 * compilers, interpreters whose scripts have probes, plug-ins.
 *
 *	dtp_provider_t *app = dtp_provider_create("app", "script");
 *	const char *types[] = {"int", "char *"};
 *	dtp_probe_t *done = dtp_probe_add(app, "main", "request__done", 2, types);
 *
 *	dtp_provider_enable(app);		now there is app1234:script:main:request-done
 *	if (dtp_enabled(done)) {			somebody traces it
 *		uint64_t args[] = {id, (uintptr_t)name};
 *
 *		dtp_fire(done, args);
 *	}
 *
 * Link with what `pkg-config --libs dtrace-probes` says, or DTrace::Probes of CMake. Without the
 * module everything works but dtp_provider_enable(), which a program may well ignore: then no
 * probe is ever enabled. Machines: x86-64, aarch64.
 *
 * Threads: every function may be called by any thread at any time; only what is being freed or
 * destroyed must be used by nobody else. fork: the child has the providers of its parent, enabled
 * if they were, and goes its own way with them. vfork: call nothing in the child. exec: all ends.
 *
 * Functions that fail return NULL or -1 and set errno. Strings are copied.
 */
#ifndef DTRACE_PROBES_H
#define DTRACE_PROBES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DTP_MAXARGS 32 /* arguments of a probe; arg0 to arg9, and args[0] to args[31] */

typedef struct dtp_provider dtp_provider_t;

/* A probe. Read it by dtp_enabled() and dtp_fire() only. */
typedef struct dtp_probe {
	const volatile uint16_t *semaphore; /* raised while somebody traces the probe */
	void (*site)(const uint64_t *args); /* where the breakpoint goes: a NOP and a return */
} dtp_probe_t;

/*
 * dtp_provider_create - make a provider, without probes, that nobody can see yet.
 *	name	of the provider, to which dtrace adds the number of the process: letters, digits
 *		and underscores, no digit at its end, at most 52
 *	module	of its probes: 1 to 63 characters, none of them a blank or colon
 * Errors: EINVAL, a name is not of that form; ENOMEM.
 */
dtp_provider_t *dtp_provider_create(const char *name, const char *module);

/*
 * dtp_provider_destroy - free a provider and its probes, after disabling it. No other thread may
 * use any of them. NULL is allowed.
 */
void dtp_provider_destroy(dtp_provider_t *provider);

/*
 * dtp_provider_enable - let dtrace see the probes that have been added; those that it sees already
 * stay as they are. Call it again after adding more: best once for many. Now and then (after some
 * 30 calls that found something new) a call registers all of them anew, and enabled ones may miss
 * firings while it does.
 * Returns 0, or -1:
 *	ENOENT, ENODEV, EACCES	the module is not there, or not for this user
 *	ECANCELED	DTRACE_DOF_INIT_DISABLE is in the environment
 *	ENOSPC		the process has too many probes (dtrace/limits.h)
 *	EINVAL, ENOMEM	others of dtrace/helper.h; /proc/dtrace/helper_errors says why
 */
int dtp_provider_enable(dtp_provider_t *provider);

/*
 * dtp_provider_disable - hide all its probes; they can be enabled again. Returns 0, or -1 if the
 * module cannot be reached any more, with errno of open.
 */
int dtp_provider_disable(dtp_provider_t *provider);

/*
 * dtp_probe_add - make a probe, which dtp_provider_enable() will show.
 *	function	that it says it is in: 1 to 255 characters, without blanks and colons
 *	name		at most 63 such characters; __ becomes -
 *	nargs, types	its arguments, at most DTP_MAXARGS, and the type of each in C: at most 127
 *			characters. NULL: no types are known
 * Two probes of one function and name are two sites of the same probe; give probes of one name the
 * same arguments, since dtrace knows one list of types for them. Returns the probe, which lives as
 * long as the provider or until dtp_probe_free().
 * Errors: EINVAL, a name or type is not of that form; E2BIG, too many arguments; ENOMEM; EACCES,
 * EPERM, executable memory is forbidden; EMFILE, ENFILE.
 */
dtp_probe_t *dtp_probe_add(dtp_provider_t *provider, const char *function, const char *name,
			   unsigned int nargs, const char *const *types);

/*
 * dtp_probe_remove - hide a probe for good. Other threads may go on firing it; nothing happens. If
 * it was enabled together with others, these are registered anew and may miss firings meanwhile.
 * Returns 0, or -1 and errno as of dtp_provider_enable(): ENOENT etc. then tell that the others
 * could not be, and wait for dtp_provider_enable().
 */
int dtp_probe_remove(dtp_probe_t *probe);

/*
 * dtp_probe_free - remove a probe and give back its memory. No other thread may use it. NULL is
 * allowed.
 */
void dtp_probe_free(dtp_probe_t *probe);

/* dtp_enabled - whether somebody traces the probe: one load and one comparison. */
static inline int dtp_enabled(const dtp_probe_t *probe)
{
	return *probe->semaphore != 0;
}

/*
 * dtp_fire - reach the probe.
 *	args	as many as it has. What has a sign is extended by it, as C does when an int becomes
 *		a uint64_t; pointers by way of uintptr_t; floating point as its bits
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
