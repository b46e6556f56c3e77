// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fasttrap_provider.c - providers of processes, and their probes, in the engine: each is made
 * when a group first needs it.
 *
 * With the registry. The engine takes its own lock under it.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fasttrap_impl.h"

/* ---- providers ---- */

static struct fasttrap_provider *provider_find(const struct fasttrap_process *process,
					       const char *name)
{
	struct fasttrap_provider *provider;

	list_for_each_entry(provider, &process->providers, all)
		if (!strcmp(provider->name, name))
			return provider;
	return NULL;
}

/* base: length of the name without the number at its end. */
static struct fasttrap_provider *provider_create(struct fasttrap_process *process, const char *name,
						 size_t base, const dtrace_pattr_t *attr)
{
	dtrace_ppriv_t priv = {
		.dtpp_flags = DTRACE_PRIV_PROC | DTRACE_PRIV_OWNER,
		.dtpp_uid = from_kuid_munged(&init_user_ns, process->uid),
	};
	struct fasttrap_provider *provider = kzalloc(sizeof(*provider), GFP_KERNEL_ACCOUNT);
	int error;

	if (!provider)
		return ERR_PTR(-ENOMEM);
	provider->process = process;
	strscpy(provider->name, name, sizeof(provider->name));
	provider->base = base;
	error = dtrace_provider_register(name, attr, &priv, &fasttrap_ops, provider,
					 &provider->provider);
	if (error) {
		kfree(provider);
		return ERR_PTR(error);
	}
	list_add_tail(&provider->all, &process->providers);
	return provider;
}

/* All its probes go with it. */
static void provider_destroy(struct fasttrap_provider *provider)
{
	dtrace_provider_unregister(provider->provider);
	list_del(&provider->all);
	kfree(provider);
}

struct fasttrap_provider *provider_get(struct fasttrap_process *process,
				       const struct dtrace_helper_provider *desc, char *errmsg,
				       size_t len)
{
	char name[DTRACE_PROVNAMELEN];
	struct fasttrap_provider *provider;
	int used = process->mm ? snprintf(name, sizeof(name), "%s%d", desc->name, process->pid)
			       : snprintf(name, sizeof(name), "%s*", desc->name);

	if (used >= sizeof(name)) {
		snprintf(errmsg, len,
			 "provider %s: with the number of the process the name is too long",
			 desc->name);
		return ERR_PTR(-EINVAL);
	}
	provider = provider_find(process, name);
	if (!provider)
		provider = provider_create(process, name, strlen(desc->name), &desc->attr);
	if (IS_ERR(provider))
		snprintf(errmsg, len, "provider %s: cannot be made (error %ld)", name,
			 PTR_ERR(provider));
	return provider;
}

void providers_drop_unused(struct fasttrap_process *process)
{
	struct fasttrap_provider *provider, *next;

	list_for_each_entry_safe(provider, next, &process->providers, all)
		if (!provider->nprobes)
			provider_destroy(provider);
}

/* ---- probes ---- */

static struct fasttrap_probe *probe_create(struct fasttrap_provider *provider,
					   const struct fasttrap_group *group)
{
	struct fasttrap_probe *probe = kzalloc(sizeof(*probe), GFP_KERNEL_ACCOUNT);
	int error;

	if (!probe)
		return ERR_PTR(-ENOMEM);
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
		fasttrap_dof_put(probe->dof);
		kfree(probe);
		return ERR_PTR(error);
	}
	provider->nprobes++;
	return probe;
}

struct fasttrap_probe *probe_get(struct fasttrap_provider *provider,
				 const struct fasttrap_group *group)
{
	dtrace_probe_t *found = dtrace_probe_lookup(provider->provider, group_module(group),
						    group->sites->desc->func, group->desc->name);
	struct fasttrap_probe *probe;

	if (!found)
		return probe_create(provider, group);
	probe = dtrace_probe_arg(found);
	if (probe->buried)
		return ERR_PTR(-EEXIST);
	list_del_init(&probe->doomed);
	return probe;
}
