/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* dev.h - the module's devices, /proc/dtrace, and what they share. */
#ifndef DTRACE_DEV_DEV_H
#define DTRACE_DEV_DEV_H

#include <linux/types.h>

#include "engine.h"

struct seq_file;

/* Functions ..._init return 0 or a negative errno. No file is open at ..._exit. All may sleep. */

/* Make /dev/dtrace/dtrace. (dtrace.c) */
int device_init(void);
/* Remove /dev/dtrace/dtrace. */
void device_exit(void);
/* Make /dev/dtrace/helper. (helper.c) */
int helper_device_init(void);
/* Remove /dev/dtrace/helper. */
void helper_device_exit(void);
/* Make /dev/dtrace/fasttrap. (fasttrap.c) */
int fasttrap_device_init(void);
/* Remove /dev/dtrace/fasttrap. */
void fasttrap_device_exit(void);
/* Make /proc/dtrace. (procfs.c) */
int procfs_init(void);
/* Remove /proc/dtrace. */
void procfs_exit(void);

/*
 * charged_alloc - allocate memory of one request as dtrace_charged_alloc() does, charged to the current
 * user. It is freed by dtrace_charged_free(). May sleep. (helper.c)
 */
int charged_alloc(struct dtrace_charged *c, enum dtrace_resource res, size_t size, char *errmsg,
		  size_t len);

struct fasttrap_target;
struct dof_helper;
#define HELPER_ERRLEN 200 /* bytes */
/*
 * helper_register - copy DOF from the caller's memory, check it, and register it for target.
 * helper: module name, base, and address of the DOF in the caller; user: its address in target.
 * Return the number of the registration, or a negative errno with the reason in errmsg
 * (HELPER_ERRLEN bytes). The reason for static probes is also in /proc/dtrace/helper_errors. May
 * sleep; no lock is held.
 */
int helper_register(const struct fasttrap_target *target, const struct dof_helper *helper,
		    uint64_t user, char *errmsg);
/* helper_errors_show - print the last refusals. May sleep. */
void helper_errors_show(struct seq_file *seq);

#endif
