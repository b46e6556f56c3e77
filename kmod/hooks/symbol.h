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
/*
 * symbol_find - symbol_address() for the name that a user gives. The kernel looks among modules
 * too, and prepares a kprobe at what it finds: 0 also if a module has a function of that name for
 * which site_is_decodable() is false.
 */
unsigned long symbol_find(const char *name);
/* Functions of one name in modules; there are seldom more. */
struct symbol_found {
	unsigned long addrs[16];
	unsigned int n;
};
/* symbol_find_modules - add functions of a name in modules. found->n is 0 at first. */
void symbol_find_modules(const char *name, struct symbol_found *found);
/*
 * symbol_text - write NAME+OFFSET/SIZE [MODULE] of the symbol that contains an address to text, of
 * KSYM_SYMBOL_LEN bytes, and its address and size to *start and *size. What is behind the last
 * function of a module counts as part of it. Return where the + is; NULL: there is no symbol.
 */
char *symbol_text(char *text, unsigned long addr, unsigned long *start, unsigned long *size);

#endif
