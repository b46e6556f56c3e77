/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * symbol.h - functions and variables of the kernel by their names, which modules cannot look up
 * otherwise.
 */
#ifndef DTRACE_HOOKS_SYMBOL_H
#define DTRACE_HOOKS_SYMBOL_H

/*
 * symbol_function_site - return the site of a function for function_hook_add(); 0: the kernel has
 * no function of that name, or ftrace cannot patch it. May sleep, for milliseconds.
 */
unsigned long symbol_function_site(const char *name);
/*
 * symbol_address - return the address of a function or variable of the kernel; 0: the kernel has
 * none, or does not keep the names of variables (CONFIG_KALLSYMS_ALL). May sleep, for milliseconds.
 */
unsigned long symbol_address(const char *name);

#endif
