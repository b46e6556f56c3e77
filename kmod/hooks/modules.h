/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* modules.h - the modules that the kernel has. */
#ifndef DTRACE_HOOKS_MODULES_H
#define DTRACE_HOOKS_MODULES_H

struct module;

/*
 * modules_each - call f with arg for each module except this one. The module cannot be unloaded
 * meanwhile. A module that is being loaded may be left out: a notifier reports it. Return 0, the
 * first other result of f, or -ENOMEM. May sleep.
 */
int modules_each(int (*f)(void *arg, struct module *module), void *arg);

#endif
