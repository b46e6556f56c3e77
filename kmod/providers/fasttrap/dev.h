/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* dev.h - the devices of fasttrap, and their common functions. */
#ifndef DTRACE_PROVIDERS_FASTTRAP_DEV_H
#define DTRACE_PROVIDERS_FASTTRAP_DEV_H

#include "fasttrap.h"

struct dof_helper;
struct miscdevice;

/* /dev/dtrace/helper and /dev/dtrace/fasttrap, for provider_module. */
extern struct miscdevice fasttrap_helper_device, fasttrap_device;

/*
 * fasttrap_charged_alloc - allocate memory of one request as dtrace_charged_alloc() does, charged to the current
 * user. It is freed by dtrace_charged_free(). May sleep. (dev_helper.c)
 */
int fasttrap_charged_alloc(struct dtrace_charged *c, enum dtrace_resource res, size_t size,
			   char *errmsg, size_t len);

/*
 * fasttrap_register_helper - copy DOF from the caller's memory, check it, and register it for target.
 * helper: module name, base, and address of the DOF in the caller; user: its address in target.
 * Return the number of the registration, or a negative errno with the reason in errmsg
 * (FASTTRAP_ERRLEN bytes). The reason for static probes is also in /proc/dtrace/helper_errors. May
 * sleep; no lock is held.
 */
int fasttrap_register_helper(const struct fasttrap_target *target, const struct dof_helper *helper,
			     uint64_t user, char *errmsg);

#endif
