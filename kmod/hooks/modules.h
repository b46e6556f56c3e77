/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* modules.h - the modules that the kernel has. */
#ifndef DTRACE_HOOKS_MODULES_H
#define DTRACE_HOOKS_MODULES_H

struct module;

/*
 * modules_each - call f with arg for each module except this one, which cannot be unloaded
 * meanwhile. A module that is being loaded may be left out: a notifier reports it. If its start
 * fails, the kernel frees it though it is held, but after the notifiers: the caller holds a lock
 * that its notifier takes. Return 0 or the first other result of f. May sleep.
 */
int modules_each(int (*f)(void *arg, struct module *module), void *arg);

#endif
