// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fasttrap_dof.c - DOF as it was read, counted by the registrations and probes that were made of
 * it.
 *
 * It is never changed, and needs no lock.
 */
#include <linux/slab.h>

#include "fasttrap_impl.h"

struct fasttrap_dof *fasttrap_dof_create(struct dtrace_helper_dof *helper)
{
	struct fasttrap_dof *dof = kzalloc(sizeof(*dof), GFP_KERNEL_ACCOUNT);

	if (!dof) {
		dtrace_helper_free(helper);
		return NULL;
	}
	kref_init(&dof->ref);
	dof->dof = helper;
	return dof;
}

struct fasttrap_dof *fasttrap_dof_get(struct fasttrap_dof *dof)
{
	kref_get(&dof->ref);
	return dof;
}

static void dof_release(struct kref *ref)
{
	struct fasttrap_dof *dof = container_of(ref, struct fasttrap_dof, ref);

	dtrace_helper_free(dof->dof);
	kfree(dof);
}

void fasttrap_dof_put(struct fasttrap_dof *dof)
{
	kref_put(&dof->ref, dof_release);
}
