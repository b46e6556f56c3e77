/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* thread.h - what the module asks about the current thread. */
#ifndef DTRACE_PORT_THREAD_H
#define DTRACE_PORT_THREAD_H

#include <linux/sched.h>
#include <linux/sched/signal.h>

/*
 * thread_is_user - return whether the current thread has an address space of its own. A kernel
 * thread may have borrowed that of a process. Any context.
 */
static inline bool thread_is_user(void)
{
	return current->mm && !(current->flags & PF_KTHREAD);
}

/*
 * thread_is_dying_killed - return whether SIGKILL ends the current process, which is closing its
 * files. The sender of the signal expects it to end soon; no second signal would wake it.
 */
static inline bool thread_is_dying_killed(void)
{
	return current->flags & PF_EXITING && (current->signal->group_exit_code & 0x7f) == SIGKILL;
}

#endif
