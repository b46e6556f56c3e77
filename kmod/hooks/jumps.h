/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* jumps.h - the text of the kernel and its modules, and where its jumps lead. */
#ifndef DTRACE_HOOKS_JUMPS_H
#define DTRACE_HOOKS_JUMPS_H

#include "arch/x86/text.h"

struct module;

/* jumps_text - return the address of a module's text, NULL: the kernel's; *end is its end. */
unsigned long jumps_text(const struct module *module, unsigned long *end);
/*
 * jumps_each - give found, with arg, where jumps of a module, NULL: of the kernel, may lead: those
 * in its text, those that the kernel makes of its static keys, and those to the handlers of faults.
 * Return 0 if these are all, or a negative errno. May sleep.
 */
int jumps_each(const struct module *module, text_jump_t *found, void *arg);

#endif
