// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * registration.c - one DOF of a process: made, copied for fork children, and taken back.
 *
 * A registration is prepared without any lock of fasttrap's, because that looks at the target's
 * mappings and takes time; then it enters the registry. All but preparing is done with the registry.
 */
#include <linux/file.h>
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "impl.h"

/* ---- memory ---- */

static void registration_uncharge(struct fasttrap_registration *r)
{
	dtrace_account_uncharge(r->account, DTRACE_RES_REGISTRATIONS, 1);
	dtrace_account_uncharge(r->account, DTRACE_RES_SITES, r->nsites);
	dtrace_account_uncharge(r->account, DTRACE_RES_BYTES, r->bytes);
	dtrace_account_put(r->account);
}

/* Before there is memory for it: what it takes at most, with a group for each site. -EDQUOT. */
static int registration_charge(struct fasttrap_registration *r, struct dtrace_account *account,
			       char *errmsg, size_t len)
{
	int error;

	r->bytes = sizeof(*r) + FASTTRAP_MAXFILES * sizeof(*r->modules) +
		   (u64)r->nsites * (sizeof(*r->sites) + sizeof(*r->groups));
	error = dtrace_account_charge(account, DTRACE_RES_REGISTRATIONS, 1, errmsg, len);
	if (error)
		return error;
	error = dtrace_account_charge(account, DTRACE_RES_SITES, r->nsites, errmsg, len);
	if (error)
		goto no_sites;
	error = dtrace_account_charge(account, DTRACE_RES_BYTES, r->bytes, errmsg, len);
	if (error)
		goto no_bytes;
	r->account = dtrace_account_ref(account);
	return 0;

no_bytes:
	dtrace_account_uncharge(account, DTRACE_RES_SITES, r->nsites);
no_sites:
	dtrace_account_uncharge(account, DTRACE_RES_REGISTRATIONS, 1);
	return error;
}

void registration_free(struct fasttrap_registration *r)
{
	unsigned int i;

	for (i = 0; i < r->nfiles; i++)
		fput(r->files[i].file);
	kvfree(r->groups);
	kvfree(r->sites);
	kfree(r->modules);
	fasttrap_dof_put(r->dof);
	registration_uncharge(r);
	kfree(r);
}

/*
 * process: NULL, until it is known; owner: NULL, or whose it is besides the process's. -ENOMEM, or
 * -EDQUOT with a reason in errmsg, as ERR_PTR.
 */
static struct fasttrap_registration *registration_alloc(struct fasttrap_process *process,
							struct fasttrap_owner *owner,
							struct dtrace_account *account,
							struct fasttrap_dof *dof, char *errmsg,
							size_t len)
{
	struct fasttrap_registration *r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	int error;

	if (!r)
		return ERR_PTR(-ENOMEM);
	r->nsites = dof->dof->nsites;
	error = registration_charge(r, account, errmsg, len);
	if (error) {
		kfree(r);
		return ERR_PTR(error);
	}
	r->process = process;
	r->owner = owner;
	INIT_LIST_HEAD(&r->owned);
	r->dof = fasttrap_dof_get(dof);
	r->sites = kvcalloc(max(r->nsites, 1U), sizeof(*r->sites), GFP_KERNEL_ACCOUNT);
	r->modules = kcalloc(FASTTRAP_MAXFILES, sizeof(*r->modules), GFP_KERNEL_ACCOUNT);
	if (r->sites && r->modules)
		return r;
	registration_free(r);
	return ERR_PTR(-ENOMEM);
}

/* ---- its place among others ---- */

static void registration_add(struct fasttrap_registration *r)
{
	struct fasttrap_process *process = r->process;
	struct fasttrap_load *load = registration_load(r);

	lockdep_assert_registry();
	list_add_tail(&r->all, &process->registrations);
	if (r->owner)
		list_add_tail(&r->owned, &r->owner->registrations);
	load->nregistrations++;
	load->nsites += r->nsites;
	load->bytes += r->dof->dof->bytes;
	if (r->helper.program) {
		process->nhelpers++;
		helpers_publish(process);
	}
}

void registration_remove(struct fasttrap_registration *r)
{
	struct fasttrap_process *process = r->process;
	struct fasttrap_load *load = registration_load(r);

	lockdep_assert_registry();
	list_del(&r->all);
	list_del_init(&r->owned);
	load->nregistrations--;
	load->nsites -= r->nsites;
	load->bytes -= r->dof->dof->bytes;
	if (r->helper.program) {
		process->nhelpers--;
		helpers_publish(process);
	}
	burial_add(r);
}

static int registration_publish(struct fasttrap_registration *r, char *errmsg, size_t len)
{
	unsigned int i;
	int error;

	for (i = 0; i < r->ngroups; i++) {
		error = group_publish(&r->groups[i], errmsg, len);
		if (error)
			return error;
		cond_resched();
	}
	return 0;
}

/*
 * Groups of one provider follow one another. Each is matched to the end, even when the process that
 * registers is being killed: sessions of others wait for the probes. Without memory for it (-ENOMEM)
 * they miss the probes, as they do when there is none to enable them.
 */
void registration_match(struct fasttrap_registration *r)
{
	const struct fasttrap_provider *last = NULL;
	unsigned int i;

	lockdep_assert_registry();
	for (i = 0; i < r->ngroups; i++) {
		struct fasttrap_provider *provider = r->groups[i].probe->provider;

		if (provider != last)
			dtrace_provider_match(provider->provider);
		last = provider;
	}
}

/* ---- one that is new ---- */

static int registration_fill(struct fasttrap_registration *r, const struct fasttrap_target *target,
			     const char *mod, char *errmsg, size_t len)
{
	int error = resolver_run(r, target, mod, errmsg, len);

	error = error ?: helper_find(r, target);
	if (error)
		return error;
	group_sort_sites(r);
	return group_create_all(r);
}

struct fasttrap_registration *registration_prepare(const struct fasttrap_target *target,
						   const char *mod, struct fasttrap_dof *dof,
						   char *errmsg, size_t len)
{
	int error = owner_check(target, dof->dof, errmsg, len);
	struct fasttrap_registration *r;

	if (error)
		return ERR_PTR(error);
	r = registration_alloc(NULL, target->owner, dof->account, dof, errmsg, len);
	if (IS_ERR(r))
		return r;
	r->follow = target->follow;
	r->program = target->program;
	error = registration_fill(r, target, mod, errmsg, len);
	if (!error)
		return r;
	registration_free(r);
	return ERR_PTR(error);
}

/* Whether earlier registrations have all its sites, or its helper. */
static bool registration_is_again(const struct fasttrap_registration *r)
{
	unsigned int i;

	if (!r->nsites)
		return helper_is_again(r);
	for (i = 0; i < r->nsites; i++)
		if (!r->sites[i].duplicate)
			return false;
	return true;
}

int registration_enter(struct fasttrap_registration *r, struct fasttrap_process *process,
		       const struct fasttrap_target *target, char *errmsg, size_t len)
{
	int error = owner_has_room(r->owner, process, r->dof->dof, errmsg, len);

	lockdep_assert_registry();
	if (error) {
		registration_free(r);
		return error;
	}
	r->process = process;
	error = registration_publish(r, errmsg, len);
	if (!error && target->by_proxy && !r->owner && registration_is_again(r))
		error = -EALREADY;
	if (error) {
		burial_add(r);
		return error;
	}
	r->gen = process->next_gen;
	process->next_gen = r->gen == INT_MAX ? 0 : r->gen + 1;
	registration_add(r);
	return 0;
}

/* ---- one of a fork child ---- */

/* What was looked up and sorted for the parent; the child has the same mappings. */
static void registration_copy_sites(struct fasttrap_registration *r,
				    const struct fasttrap_registration *source)
{
	unsigned int i;

	for (i = 0; i < source->nfiles; i++)
		r->files[i] = (struct fasttrap_file){get_file(source->files[i].file),
						     source->files[i].inode};
	r->nfiles = source->nfiles;
	memcpy(r->modules, source->modules, FASTTRAP_MAXFILES * sizeof(*r->modules));
	for (i = 0; i < source->nsites; i++) {
		r->sites[i].desc = source->sites[i].desc;
		r->sites[i].file = source->sites[i].file;
		r->sites[i].offset = source->sites[i].offset;
		r->sites[i].refctr = source->sites[i].refctr;
	}
	r->ngroups = source->ngroups;
	r->helper = source->helper;
}

/* What the child gets is charged to its user, but for what has an owner. */
static struct fasttrap_registration *registration_copy_charged(
	struct fasttrap_process *process, const struct fasttrap_registration *source, char *errmsg,
	size_t len)
{
	struct dtrace_account *account = source->owner ? source->owner->account : process->account;
	struct fasttrap_registration *r;
	int error = source->owner ? owner_has_room(source->owner, process, source->dof->dof,
						   errmsg, len)
				  : 0;

	if (error)
		return ERR_PTR(error);
	r = registration_alloc(process, source->owner, account, source->dof, errmsg, len);
	if (IS_ERR(r))
		return r;
	r->follow = source->follow;
	r->program = source->program;
	registration_copy_sites(r, source);
	error = group_create_all(r);
	error = error ?: registration_publish(r, errmsg, len);
	if (error) {
		burial_add(r);
		return ERR_PTR(error);
	}
	r->gen = source->gen;
	registration_add(r);
	return r;
}

struct fasttrap_registration *registration_copy(struct fasttrap_process *process,
						const struct fasttrap_registration *source,
						char *errmsg, size_t len)
{
	struct fasttrap_registration *r;
	struct mem_cgroup *before;

	lockdep_assert_registry();
	if (!source->owner)
		return registration_copy_charged(process, source, errmsg, len);
	before = set_active_memcg(source->owner->memcg);
	r = registration_copy_charged(process, source, errmsg, len);
	set_active_memcg(before);
	return r;
}
