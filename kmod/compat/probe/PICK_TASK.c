// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * PICK_TASK.c - since 6.12 the scheduler calls pick_task_rt() and pick_task_dl() itself, and
 * pick_next_task_rt() and pick_next_task_dl() are no more. No header of a module declares them.
 */
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#error
#endif
