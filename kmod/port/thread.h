/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* thread.h - a test that all parts of the port need. */
#ifndef DTRACE_PORT_THREAD_H
#define DTRACE_PORT_THREAD_H

#include <linux/sched.h>

/*
 * thread_is_user - return whether the current thread has an address space of its own. A kernel
 * thread may have borrowed that of a process. Any context.
 */
static inline bool thread_is_user(void)
{
	return current->mm && !(current->flags & PF_KTHREAD);
}

#endif
