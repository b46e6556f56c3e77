/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * task_work.h - having a thread call a function on its way back to user mode, where the kernel
 * lets modules ask for that: not all do, so it is looked up when the module is loaded.
 */
#ifndef DTRACE_COMPAT_TASK_WORK_H
#define DTRACE_COMPAT_TASK_WORK_H

#include <linux/module.h>
#include <linux/sched.h>
#include <linux/task_work.h>

typedef int compat_task_work_add_f(struct task_struct *, struct callback_head *,
				   enum task_work_notify_mode);

/*
 * compat_task_work_find - return task_work_add, or NULL. The function belongs to the kernel proper,
 * so the pointer stays valid.
 */
static inline compat_task_work_add_f *compat_task_work_find(void)
{
	return symbol_get(task_work_add);
}

#endif
