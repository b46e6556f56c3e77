// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * group.c - the sites of a registration that belong to one probe, by module and
 * function and in order of address; how they come to the probe and leave it.
 *
 * With the registry. What hits and enablings can see, the lists of groups and who has a site, is
 * changed under the tracepoint lock besides.
 */
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "impl.h"

/* ---- from sites to groups ---- */

static int site_compare_names(const struct fasttrap_site *a, const struct fasttrap_site *b)
{
	return a->file != b->file ? a->file - b->file : strcmp(a->desc->func, b->desc->func);
}

static int site_compare(const void *pa, const void *pb)
{
	const struct fasttrap_site *a = pa, *b = pb;
	int order = site_compare_names(a, b);

	if (order)
		return order;
	return a->desc->addr < b->desc->addr ? -1 : a->desc->addr > b->desc->addr;
}

static bool site_begins_group(const struct fasttrap_site *site, unsigned int i)
{
	return i == 0 || site_compare_names(site - 1, site);
}

static unsigned int group_count(const struct fasttrap_site *sites, unsigned int n)
{
	unsigned int i, groups = 0;

	for (i = 0; i < n; i++)
		groups += site_begins_group(&sites[i], i);
	return groups;
}

void group_sort_sites(struct fasttrap_registration *r)
{
	const struct dtrace_helper_provider *prov;
	const struct dtrace_helper_probe *probe;
	struct fasttrap_site *site = r->sites;

	for_each_helper_probe(r->dof->dof, prov, probe) {
		sort(site, probe->nsites, sizeof(*site), site_compare, NULL);
		r->ngroups += group_count(site, probe->nsites);
		site += probe->nsites;
		cond_resched();
	}
}

static enum fasttrap_kind group_kind(const char *name)
{
	if (!strcmp(name, "entry"))
		return FASTTRAP_ENTRY;
	return strcmp(name, "return") ? FASTTRAP_OFFSET : FASTTRAP_RETURN;
}

/* The groups of one probe; the next free group. */
static struct fasttrap_group *group_create(struct fasttrap_registration *r,
					   struct fasttrap_group *group,
					   const struct dtrace_helper_provider *prov,
					   const struct dtrace_helper_probe *probe,
					   struct fasttrap_site *site)
{
	unsigned int i;

	for (i = 0; i < probe->nsites; i++, site++) {
		if (site_begins_group(site, i)) {
			group->registration = r;
			group->provider_desc = prov;
			group->desc = probe;
			group->kind = r->owner ? group_kind(probe->name) : FASTTRAP_STATIC;
			group->no_frame = group->kind == FASTTRAP_ENTRY ||
				      group->kind == FASTTRAP_RETURN;
			group->sites = site;
			INIT_LIST_HEAD(&group->in_probe);
			group++;
		}
		site->group = group - 1;
		group[-1].nsites++;
	}
	return group;
}

/*
 * The sites of a group are attached together, so one of them is enough to raise their semaphore.
 * It is a 16-bit number: were it raised for each, it would overflow with many sites.
 */
static void group_share_semaphore(struct fasttrap_group *group)
{
	loff_t raised = 0;
	unsigned int i;

	for (i = 0; i < group->nsites; i++) {
		if (group->sites[i].refctr && group->sites[i].refctr != raised)
			raised = group->sites[i].refctr;
		else
			group->sites[i].refctr = 0;
	}
}

int group_create_all(struct fasttrap_registration *r)
{
	const struct dtrace_helper_provider *prov;
	const struct dtrace_helper_probe *probe;
	struct fasttrap_site *site = r->sites;
	struct fasttrap_group *group;
	unsigned int i;

	r->groups = kvcalloc(max(r->ngroups, 1U), sizeof(*r->groups), GFP_KERNEL_ACCOUNT);
	if (!r->groups) {
		r->ngroups = 0;
		return -ENOMEM;
	}
	group = r->groups;
	for_each_helper_probe(r->dof->dof, prov, probe) {
		group = group_create(r, group, prov, probe, site);
		site += probe->nsites;
	}
	for (i = 0; i < r->ngroups; i++)
		group_share_semaphore(&r->groups[i]);
	return 0;
}

/* ---- sites that others have ---- */

/* The first site of the group at an address, or NULL. */
static struct fasttrap_site *group_find(const struct fasttrap_group *group, uint64_t addr)
{
	unsigned int low = 0, high = group->nsites, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (group->sites[mid].desc->addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < group->nsites && group->sites[low].desc->addr == addr ? &group->sites[low] :
									     NULL;
}

static const struct inode *group_inode(const struct fasttrap_group *group)
{
	return group->registration->files[group->sites->file].inode;
}

/* Do equal addresses mean the same place? Those of everybody's sites are offsets in a file. */
static bool group_is_beside(const struct fasttrap_group *a, const struct fasttrap_group *b)
{
	return a->registration->process->mm || group_inode(a) == group_inode(b);
}

/*
 * Mark the group's sites that another has. The one with fewer sites is gone through, so that all groups of a
 * probe take no longer than their sites together, however many groups there are.
 */
static void group_mark_shared(struct fasttrap_group *group, const struct fasttrap_group *other)
{
	struct fasttrap_site *site;
	unsigned int i;

	if (group->nsites <= other->nsites) {
		for (i = 0; i < group->nsites; i++)
			if (group_find(other, group->sites[i].desc->addr))
				group->sites[i].duplicate = true;
		return;
	}
	for (i = 0; i < other->nsites; i++) {
		site = group_find(group, other->sites[i].desc->addr);
		if (site)	/* the first: those behind it are marked anyway */
			site->duplicate = true;
	}
}

/* A site that was named before, here or in another registration, would fire twice. */
static void group_mark(struct fasttrap_group *group, const struct fasttrap_probe *probe)
{
	const struct fasttrap_group *other;
	unsigned int i;

	fasttrap_tracepoints_assert_locked();
	for (i = 1; i < group->nsites; i++)
		group->sites[i].duplicate =
			group->sites[i - 1].desc->addr == group->sites[i].desc->addr;
	list_for_each_entry(other, &probe->groups, in_probe) {
		if (group_is_beside(group, other))
			group_mark_shared(group, other);
		cond_resched();
	}
}

/*
 * Sites that the heir has too, and that were not used because the group had them, are the heir's
 * from now on. Hits go from one to the other, and none is lost.
 */
static void group_inherit(struct fasttrap_group *heir, const struct fasttrap_group *group)
{
	struct fasttrap_site *site, *old;

	fasttrap_tracepoints_assert_locked();
	if (!group_is_beside(heir, group))
		return;
	for (site = heir->sites; site < heir->sites + heir->nsites; site++) {
		old = site->duplicate ? group_find(group, site->desc->addr) : NULL;
		if (!old || old->duplicate)
			continue;
		site->duplicate = false;
		old->duplicate = true;
		if (old->tp_mm && old->refctr == site->refctr)
			fasttrap_site_replace(old, site);
	}
}

static bool group_has_own(const struct fasttrap_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nsites; i++)
		if (!group->sites[i].duplicate)
			return true;
	return false;
}

/* [tracepoint lock] What the group leaves behind. */
static void group_bequeath(const struct fasttrap_group *group)
{
	struct fasttrap_group *heir;

	fasttrap_tracepoints_assert_locked();
	if (!group_has_own(group))
		return;
	list_for_each_entry(heir, &group->probe->groups, in_probe)
		group_inherit(heir, group);
}

/* ---- groups and their probes ---- */

const char *group_module(const struct fasttrap_group *group)
{
	return group->registration->modules[group->sites->file];
}

/* The probe may be enabled by now; that its new sites cannot be is no reason to refuse them. */
static void group_link(struct fasttrap_group *group, struct fasttrap_probe *probe)
{
	fasttrap_tracepoints_lock();
	group_mark(group, probe);
	group->probe = probe;
	list_add_tail(&group->in_probe, &probe->groups);
	probe->ngroups++;
	if (probe->enabled && fasttrap_group_attach(group))
		atomic64_inc(&fasttrap_counts.apply_errors);
	fasttrap_tracepoints_unlock();
}

/* [tracepoint lock] Inherited sites that were not attached, or with another semaphore. */
static void probe_attach_rest(struct fasttrap_probe *probe)
{
	struct fasttrap_group *group;

	fasttrap_tracepoints_assert_locked();
	if (!probe->enabled)
		return;
	list_for_each_entry(group, &probe->groups, in_probe)
		if (fasttrap_group_attach(group))
			atomic64_inc(&fasttrap_counts.apply_errors);
}

bool group_unlink(struct fasttrap_group *group)
{
	bool last;

	lockdep_assert_registry();
	fasttrap_tracepoints_lock();
	list_del_init(&group->in_probe);
	group->probe->ngroups--;
	if (!group->registration->process->doomed)
		group_bequeath(group);
	fasttrap_group_detach(group);
	if (!group->registration->process->doomed)
		probe_attach_rest(group->probe);
	last = list_empty(&group->probe->groups);
	fasttrap_tracepoints_unlock();
	return last;
}

static int group_join(struct fasttrap_group *group, struct fasttrap_probe *probe, char *errmsg,
		      size_t len)
{
	if (probe->ngroups >= FASTTRAP_MAXGROUPS) {
		snprintf(errmsg, len, "probe %s:%s:%s:%s: %u registrations have it already",
			 probe->provider->name, group_module(group), group->sites->desc->func,
			 group->desc->name, probe->ngroups);
		return -ENOSPC;
	}
	group_link(group, probe);
	return 0;
}

int group_publish(struct fasttrap_group *group, char *errmsg, size_t len)
{
	struct fasttrap_provider *provider = provider_get(group, errmsg, len);
	struct fasttrap_probe *probe;

	lockdep_assert_registry();
	if (IS_ERR(provider))
		return PTR_ERR(provider);
	probe = probe_get(provider, group, errmsg, len);
	if (IS_ERR(probe))
		return PTR_ERR(probe);
	return group_join(group, probe, errmsg, len);
}
