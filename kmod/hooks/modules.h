/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* modules.h - the modules that the kernel has. */
#ifndef DTRACE_HOOKS_MODULES_H
#define DTRACE_HOOKS_MODULES_H

struct module;

/*
 * modules_each - call f with arg for each module but this one. The module cannot be unloaded
 * meanwhile. One that is loaded at the same time may be left out: a notifier reports it. Return 0,
 * what f has returned if that is another number, or -ENOMEM. May sleep.
 */
int modules_each(int (*f)(void *arg, struct module *module), void *arg);

#endif
