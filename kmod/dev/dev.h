/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* device.h - the module's devices and what they have in common. */
#ifndef DTRACE_DEV_DEV_H
#define DTRACE_DEV_DEV_H

#include <linux/types.h>

#include "engine.h"

struct seq_file;

/*
 * /dev/dtrace/dtrace (device.c), /dev/dtrace/helper (dev/helper.c), /dev/dtrace/fasttrap
 * (dev/fasttrap.c)
 */
int device_init(void);
void device_exit(void);
int helper_device_init(void);
void helper_device_exit(void);
int fasttrap_device_init(void);
void fasttrap_device_exit(void);

/* /proc/dtrace (procfs.c) */
int procfs_init(void);
void procfs_exit(void);

/*
 * Memory for one call, which the caller can make last by giving addresses that are slow to be read or
 * written: its user is charged while it lives. charged_alloc - size bytes, not cleared; 0, -ENOMEM, or
 * -EDQUOT with text in errmsg (len bytes, may be NULL). charged_free - undo it; fine if it failed. May
 * sleep. (device.c)
 */
struct charged {
	void *p;
	size_t size;
	enum dtrace_resource res;
	struct dtrace_account *account;
};
int charged_alloc(struct charged *c, enum dtrace_resource res, size_t size, char *errmsg, size_t len);
void charged_free(struct charged *c);

struct fasttrap_target;
/*
 * helper_register - copy DOF from the caller, check it and register it for target. helper: module
 * name, base, and address of the DOF in the caller; user: address that it has in target. The
 * registration's number or a negative errno, with the reason in errmsg (HELPER_ERRLEN bytes). That
 * of a static probe can also be read in /proc/dtrace/helper_errors.
 */
struct dof_helper;
#define HELPER_ERRLEN	200
int helper_register(const struct fasttrap_target *target, const struct dof_helper *helper,
		    uint64_t user, char *errmsg);
/* helper_errors_show - the last errors. */
void helper_errors_show(struct seq_file *seq);

#endif
