// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * provider.c - providers of processes, and their probes, in the engine: each is made
 * when a group first needs it.
 *
 * With the registry. The engine takes its own lock under it.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "impl.h"

#define ENGINE_BYTES	512	/* about what the engine has for a provider or a probe, names included */
#define PROVIDER_BYTES	(sizeof(struct fasttrap_provider) + ENGINE_BYTES)
#define PROBE_BYTES	(sizeof(struct fasttrap_probe) + ENGINE_BYTES)

/* ---- providers ---- */

/*
 * The process's provider of that name, or NULL. The engine's table is asked, since a process may have a great
 * many; what it has by that name and number may still be of an earlier process, which waits for its burial.
 */
static struct fasttrap_provider *provider_find(const struct fasttrap_process *process,
					       const char *name)
{
	struct fasttrap_provider *provider = dtrace_provider_find(process->pid, name);

	return provider && provider->process == process ? provider : NULL;
}

/* base: length of the name without the number at its end. */
static struct fasttrap_provider *provider_create(struct fasttrap_process *process,
						 struct dtrace_account *account, const char *name,
						 size_t base, const dtrace_pattr_t *attr,
						 char *errmsg, size_t len)
{
	dtrace_ppriv_t priv = {
		.dtpp_flags = DTRACE_PRIV_PROC | DTRACE_PRIV_OWNER,
		.dtpp_uid = from_kuid_munged(&init_user_ns, process->uid),
	};
	struct fasttrap_provider *provider = kzalloc(sizeof(*provider), GFP_KERNEL_ACCOUNT);
	int error;

	if (!provider)
		return ERR_PTR(-ENOMEM);
	error = dtrace_account_charge(account, DTRACE_RES_BYTES, PROVIDER_BYTES, errmsg, len);
	if (error)
		goto no_charge;
	provider->process = process;
	strscpy(provider->name, name, sizeof(provider->name));
	provider->base = (unsigned int)base;
	/* Names may be alike: foo1 of process 23 and foo of process 123 are both foo123. */
	error = dtrace_provider_register_for(process->pid, name, attr, &priv, &fasttrap_ops, provider,
					     &provider->provider);
	if (error)
		goto no_provider;
	provider->account = dtrace_account_ref(account);
	list_add_tail(&provider->all, &process->providers);
	return provider;

no_provider:
	snprintf(errmsg, len, "provider %s: cannot be made (error %d)", name, error);
	dtrace_account_uncharge(account, DTRACE_RES_BYTES, PROVIDER_BYTES);
no_charge:
	kfree(provider);
	return ERR_PTR(error);
}

/* All its probes go with it. */
static void provider_destroy(struct fasttrap_provider *provider)
{
	dtrace_provider_unregister(provider->provider);
	list_del(&provider->all);
	dtrace_account_uncharge(provider->account, DTRACE_RES_BYTES, PROVIDER_BYTES);
	dtrace_account_put(provider->account);
	kfree(provider);
}

struct fasttrap_provider *provider_get(const struct fasttrap_group *group, char *errmsg,
				       size_t len)
{
	struct fasttrap_process *process = group->registration->process;
	const struct dtrace_helper_provider *desc = group->provider_desc;
	char name[DTRACE_PROVNAMELEN];
	struct fasttrap_provider *provider;
	int used = process->mm ? snprintf(name, sizeof(name), "%s%d", desc->name, process->pid)
			       : snprintf(name, sizeof(name), "%s*", desc->name);

	lockdep_assert_registry();
	if (used >= sizeof(name)) {
		snprintf(errmsg, len,
			 "provider %s: with the number of the process the name is too long",
			 desc->name);
		return ERR_PTR(-EINVAL);
	}
	provider = provider_find(process, name);
	if (!provider)
		provider = provider_create(process, group->registration->account, name,
					   strlen(desc->name), &desc->attr, errmsg, len);
	return provider;
}

void providers_drop_unused(struct fasttrap_process *process)
{
	struct fasttrap_provider *provider, *next;

	lockdep_assert_registry();
	list_for_each_entry_safe(provider, next, &process->providers, all) {
		if (!provider->nprobes)
			provider_destroy(provider);
		cond_resched();
	}
}

/* ---- probes ---- */

static struct fasttrap_probe *probe_refuse(const struct fasttrap_provider *provider,
					   const struct fasttrap_group *group, int error,
					   char *errmsg, size_t len)
{
	snprintf(errmsg, len, "probe %s:%s:%s:%s: cannot be made (error %d)", provider->name,
		 group_module(group), group->sites->desc->func, group->desc->name, error);
	return ERR_PTR(error);
}

static int probe_charge(struct dtrace_account *account, char *errmsg, size_t len)
{
	int error = dtrace_account_charge(account, DTRACE_RES_PROBES, 1, errmsg, len);

	if (error)
		return error;
	error = dtrace_account_charge(account, DTRACE_RES_BYTES, PROBE_BYTES, errmsg, len);
	if (error)
		dtrace_account_uncharge(account, DTRACE_RES_PROBES, 1);
	return error;
}

void probe_free(struct fasttrap_probe *probe)
{
	dtrace_account_uncharge(probe->account, DTRACE_RES_PROBES, 1);
	dtrace_account_uncharge(probe->account, DTRACE_RES_BYTES, PROBE_BYTES);
	dtrace_account_put(probe->account);
	fasttrap_dof_put(probe->dof);
	kfree(probe);
}

static struct fasttrap_probe *probe_create(struct fasttrap_provider *provider,
					   const struct fasttrap_group *group, char *errmsg,
					   size_t len)
{
	struct dtrace_account *account = group->registration->account;
	struct fasttrap_probe *probe = kzalloc(sizeof(*probe), GFP_KERNEL_ACCOUNT);
	int error;

	if (!probe)
		return ERR_PTR(-ENOMEM);
	error = probe_charge(account, errmsg, len);
	if (error) {
		kfree(probe);
		return ERR_PTR(error);
	}
	probe->account = dtrace_account_ref(account);
	probe->provider = provider;
	probe->dof = fasttrap_dof_get(group->registration->dof);
	probe->desc = group->desc;
	probe->program = group->registration->program;
	INIT_LIST_HEAD(&probe->groups);
	INIT_LIST_HEAD(&probe->doomed);
	error = dtrace_probe_create(provider->provider, group_module(group),
				    group->sites->desc->func, group->desc->name, probe,
				    &probe->probe);
	if (error) {
		probe_free(probe);
		return probe_refuse(provider, group, error, errmsg, len);
	}
	provider->nprobes++;
	return probe;
}

struct fasttrap_probe *probe_get(struct fasttrap_provider *provider,
				 const struct fasttrap_group *group, char *errmsg, size_t len)
{
	dtrace_probe_t *found = dtrace_probe_lookup(provider->provider, group_module(group),
						    group->sites->desc->func, group->desc->name);
	struct fasttrap_probe *probe;

	lockdep_assert_registry();
	if (!found)
		return probe_create(provider, group, errmsg, len);
	probe = dtrace_probe_arg(found);
	if (probe->buried)
		return probe_refuse(provider, group, -EEXIST, errmsg, len);
	list_del_init(&probe->doomed);
	return probe;
}
