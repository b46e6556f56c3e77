// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dof.c - DOF as it was read, counted by the registrations and probes that were made of
 * it.
 *
 * It is never changed, and needs no lock.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "impl.h"

struct fasttrap_dof *fasttrap_dof_create(struct dtrace_helper_dof *helper,
					 struct dtrace_account *account, char *errmsg, size_t len)
{
	struct fasttrap_dof *dof = kzalloc(sizeof(*dof), GFP_KERNEL_ACCOUNT);
	int error = -ENOMEM;

	if (!dof)
		goto no_dof;
	error = dtrace_account_charge(account, DTRACE_RES_BYTES, helper->bytes, errmsg, len);
	if (error)
		goto no_charge;
	kref_init(&dof->ref);
	dof->account = dtrace_account_ref(account);
	dof->dof = helper;
	return dof;

no_charge:
	kfree(dof);
no_dof:
	dtrace_helper_free(helper);
	return ERR_PTR(error);
}

struct fasttrap_dof *fasttrap_dof_get(struct fasttrap_dof *dof)
{
	kref_get(&dof->ref);
	return dof;
}

static void dof_release(struct kref *ref)
{
	struct fasttrap_dof *dof = container_of(ref, struct fasttrap_dof, ref);

	dtrace_account_uncharge(dof->account, DTRACE_RES_BYTES, dof->dof->bytes);
	dtrace_account_put(dof->account);
	dtrace_helper_free(dof->dof);
	kfree(dof);
}

void fasttrap_dof_put(struct fasttrap_dof *dof)
{
	kref_put(&dof->ref, dof_release);
}
