/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* dev.h - the device of sessions, and /proc/dtrace. */
#ifndef DTRACE_DEV_DEV_H
#define DTRACE_DEV_DEV_H

/* Functions ..._init return 0 or a negative errno. No file is open at ..._exit. All may sleep. */

/* Make /dev/dtrace/dtrace. (dtrace.c) */
int device_init(void);
/* Remove /dev/dtrace/dtrace. */
void device_exit(void);
/* Make /proc/dtrace. (procfs.c) */
int procfs_init(void);
/* Remove /proc/dtrace. */
void procfs_exit(void);

#endif
