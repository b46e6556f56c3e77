/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * function.h - hooks at the entry and the return of functions of the kernel and its modules, shared
 * by providers: any number of users may hook a function.
 *
 * A function is known by its site, the address of the instruction that ftrace patches.
 * function_hook_add and function_hook_remove only note; function_hook_sync patches the kernel's
 * text.
 */
#ifndef DTRACE_HOOKS_FUNCTION_H
#define DTRACE_HOOKS_FUNCTION_H

#include <linux/types.h>

struct function_hook;
struct function_user;
struct pt_regs;
struct seq_file;

/*
 * Callbacks of a user. All run with interrupts off, in any context of the function except NMIs, and
 * where RCU watches. They must be notrace.
 */
struct function_user_ops {
	/*
	 * entry - the function has been called. regs: as at its first instruction, with the address
	 * of return at the stack pointer, and the program counter behind the site. NULL: entries
	 * are not reported.
	 */
	void (*entry)(struct function_user *user, struct pt_regs *regs);
	/*
	 * returned - the function has returned. regs: as at the instruction that it returned to.
	 * first: the first argument that it was called with. NULL: returns are not reported.
	 */
	void (*returned)(struct function_user *user, struct pt_regs *regs, unsigned long first);
	/*
	 * waited - as returned, for functions that wait. ns: how long the call took. slept: the
	 * task has given up its processor for that. NULL: waits are not reported.
	 */
	void (*waited)(struct function_user *user, struct pt_regs *regs, unsigned long first,
		       u64 ns, bool slept);
	/* missed - a call was not reported to the user; also called in NMIs. */
	void (*missed)(struct function_user *user);
	/*
	 * Report calls by the task that patches text, too: the function stands for an event of the
	 * kernel, such as a switch to that task.
	 */
	bool events;
};

struct function_user {
	const struct function_user_ops *ops;
	/*
	 * The patching of text calls the function for each site: patch its own text after that of
	 * others, and restore it before. This saves most calls by the task that patches text.
	 */
	bool late;
	/* private to function.c */
	struct function_user __rcu *next;
	struct function_hook *hook;
};

/*
 * function_hook_add - call user's operations for calls of the function at site, after
 * function_hook_sync. The caller fills in user->ops. -ENOMEM. -ESHUTDOWN: ftrace is switched off.
 * May sleep; waits for no patching of text.
 */
int function_hook_add(struct function_user *user, unsigned long site);
/*
 * function_hook_remove - end reports to user. After function_hook_sync no call of its function
 * reaches this module on its behalf; its memory may be freed after that and a grace period. May
 * sleep; waits for no patching of text.
 */
void function_hook_remove(struct function_user *user);
/*
 * function_hook_sync - patch the kernel's text for all users that have come and gone. A function
 * that the kernel refuses to patch is counted, and the kernel's log says so. May sleep, for seconds
 * if there are thousands of functions; no locks that a provider's operation under the engine lock
 * takes.
 */
void function_hook_sync(void);
/*
 * function_hook_filter - find out which of n sites ftrace can patch, and move these to the front,
 * in order. doubtful: many of them may be none. Their number, or -ENOMEM. May sleep.
 */
int function_hook_filter(unsigned long *sites, unsigned int n, bool doubtful);
/* function_hooks_init - find the switch of ftrace. May sleep. */
void function_hooks_init(void);
/*
 * function_hooks_are_off - return whether ftrace is switched off (sysctl kernel.ftrace_enabled), so
 * that no function can be hooked.
 */
bool function_hooks_are_off(void);
/* function_hook_show - rows for /proc/dtrace/stats. */
void function_hook_show(struct seq_file *seq);

#endif
