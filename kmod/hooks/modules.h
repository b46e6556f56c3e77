/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* modules.h - the modules that the kernel has. */
#ifndef DTRACE_HOOKS_MODULES_H
#define DTRACE_HOOKS_MODULES_H

struct module;
struct mutex;

/*
 * modules_each - call f with arg for each module except this one. The caller's notifier of modules
 * takes lock, which is held around each call of f, and released in between: who waits for it waits
 * for one module. A module cannot be unloaded during the call. If its start fails, or somebody
 * forces it out, the kernel frees it though it is in use, but after the notifier. Modules that come
 * during the walk may be left out: the notifier reports them. Return 0, the first other result of
 * f, or -EINTR: a fatal signal is pending. May sleep.
 */
int modules_each(struct mutex *lock, int (*f)(void *arg, struct module *module), void *arg);

#endif
