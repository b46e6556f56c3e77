/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tracepoint.h - hooks on the kernel's tracepoints, for providers and for process events.
 *
 * Modules do not see the kernel's tracepoints as symbols, so a hook names its tracepoint. The
 * compiler cannot compare the handler with the tracepoint's prototype then: the file that defines
 * a handler calls check_trace_callback_type_NAME() of <trace/events/...>, which can.
 */
#ifndef DTRACE_HOOKS_TRACEPOINT_H
#define DTRACE_HOOKS_TRACEPOINT_H

struct tracepoint;

struct tracepoint_hook {
	const char *name; /* of a tracepoint of the kernel proper, not of a module */
	/* void (*)(void *data, arguments of the tracepoint); it runs with preemption off */
	void *handler;
	struct tracepoint *tp; /* set by tracepoint_hooks_register */
};

/*
 * tracepoint_find - return the tracepoint of that name of the kernel proper, or NULL. Any context
 * that may take its time: it compares all names.
 */
struct tracepoint *tracepoint_find(const char *name);
/*
 * Find the tracepoints of all n hooks, and register their handlers with a NULL data argument.
 * Return 0, or -ENOENT (the kernel lacks a tracepoint), -ENOMEM: then no handler is registered, and
 * the kernel's log names the tracepoint. May sleep. Takes the kernel's tracepoint locks, so that a
 * caller holds no lock that a handler takes. The hooks stay the caller's, and must live until they
 * are unregistered.
 */
int tracepoint_hooks_register(struct tracepoint_hook *hooks, unsigned int n);
/*
 * Unregister the handlers of n hooks that are registered, and wait until none of them runs any
 * more: one wait for all. May sleep, for as long as a grace period takes.
 */
void tracepoint_hooks_unregister(struct tracepoint_hook *hooks, unsigned int n);

#endif
