// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fasttrap_registration.c - from the DOF of a process to sites in files and probes in the engine,
 * and back.
 *
 * What a process says about addresses is believed only as far as its own mappings bear it out: a
 * site must be in code that is mapped from a file, privately; a semaphore in a private writable
 * mapping of the same file. Sites of everybody are offsets in a file to begin with.
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "fasttrap_impl.h"

/* ---- DOF ---- */

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

/* ---- memory of a registration ---- */

/* Nothing refers to it any more. */
static void registration_free(struct fasttrap_registration *r)
{
	unsigned int i;

	for (i = 0; i < r->nfiles; i++)
		fput(r->files[i].file);
	fasttrap_dof_put(r->dof);
	kvfree(r->groups);
	kvfree(r->sites);
	kfree(r->modules);
	kfree(r);
}

/* owner: NULL, or whose it is besides the process's. */
static struct fasttrap_registration *registration_alloc(struct fasttrap_process *process,
							struct fasttrap_owner *owner,
							struct fasttrap_dof *dof)
{
	struct fasttrap_registration *r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);

	if (!r)
		return NULL;
	r->process = process;
	r->owner = owner;
	INIT_LIST_HEAD(&r->owned);
	r->dof = fasttrap_dof_get(dof);
	r->nsites = dof->dof->nsites;
	r->sites = kvcalloc(max(r->nsites, 1U), sizeof(*r->sites), GFP_KERNEL_ACCOUNT);
	r->modules = kcalloc(FASTTRAP_MAXFILES, sizeof(*r->modules), GFP_KERNEL_ACCOUNT);
	if (r->sites && r->modules)
		return r;
	registration_free(r);
	return NULL;
}

/* ---- files ---- */

/*
 * A name that can be part of a probe's: what cannot be printed or divides names becomes an
 * underscore.
 */
static void module_clean(char *name)
{
	for (; *name; name++)
		if (*name <= ' ' || *name == ':' || *name == 0x7f)
			*name = '_';
}

static void module_set_name(char *to, const char *given, struct file *file)
{
	struct name_snapshot name;

	if (given[0]) {
		strscpy(to, given, DTRACE_MODNAMELEN);
	} else {
		take_dentry_name_snapshot(&name, file->f_path.dentry);
		strscpy(to, name.name.name, DTRACE_MODNAMELEN);
		release_dentry_name_snapshot(&name);
	}
	module_clean(to);
}

/* The file's number in the registration, or -1: there are too many. */
static int file_number(struct fasttrap_registration *r, struct file *file, struct inode *inode,
		       const char *mod)
{
	unsigned int i;

	for (i = 0; i < r->nfiles; i++)
		if (r->files[i].inode == inode)
			return i;
	if (r->nfiles == FASTTRAP_MAXFILES)
		return -1;
	r->files[i].file = get_file(file);
	r->files[i].inode = inode;
	module_set_name(r->modules[i], mod, file);
	r->nfiles++;
	return i;
}

/* ---- sites: from addresses to places in files ---- */

/* What is needed while a registration's sites are looked up, with mmap_lock for reading. */
struct resolver {
	struct fasttrap_registration *registration;
	const struct fasttrap_target *target;
	const char *mod;
	struct vm_area_struct *code, *data;	/* found last */
	int file;				/* of code */
	char *errmsg;
	size_t len;
};

static struct vm_area_struct *resolver_vma(const struct resolver *res, struct vm_area_struct *last,
					   uint64_t addr)
{
	if (!last || addr < last->vm_start || addr >= last->vm_end)
		last = find_vma(res->target->mm, addr);
	return last && addr >= last->vm_start ? last : NULL;
}

static loff_t vma_offset(const struct vm_area_struct *vma, uint64_t addr)
{
	return addr - vma->vm_start + ((loff_t)vma->vm_pgoff << PAGE_SHIFT);
}

static bool vma_is_code(const struct vm_area_struct *vma)
{
	return vma && vma->vm_file &&
	       (vma->vm_flags & (VM_EXEC | VM_MAYSHARE | VM_HUGETLB)) == VM_EXEC;
}

/*
 * Reading such a file may wait for a program of the user, which would hold up everybody else's
 * forks.
 */
static bool file_is_served(const struct file *file)
{
	return file_inode(file)->i_sb->s_magic == FUSE_SUPER_MAGIC;
}

static int resolver_fail(struct resolver *res, int error, uint64_t addr, const char *why)
{
	snprintf(res->errmsg, res->len, "%#llx: %s", (unsigned long long)addr, why);
	return error;
}

static int resolve_code(struct resolver *res, struct fasttrap_site *site)
{
	uint64_t addr = site->desc->addr;
	struct vm_area_struct *vma = resolver_vma(res, res->code, addr);

	if (!vma_is_code(vma))
		return resolver_fail(res, -EFAULT, addr,
				     "a site must be in code that is mapped from a file");
	if (vma != res->code) {
		if (file_is_served(vma->vm_file) && !res->target->trusted)
			return resolver_fail(res, -EFAULT, addr,
					     "a site cannot be in a file of a FUSE file system");
		res->file = file_number(res->registration, vma->vm_file,
					file_inode(vma->vm_file), res->mod);
		if (res->file < 0)
			return resolver_fail(res, -E2BIG, addr, "the sites lie in too many files");
		res->code = vma;
	}
	site->file = res->file;
	site->offset = vma_offset(vma, addr);
	return 0;
}

static int resolve_semaphore(struct resolver *res, struct fasttrap_site *site)
{
	uint64_t addr = site->desc->sema;
	struct vm_area_struct *vma = resolver_vma(res, res->data, addr);

	if (!vma || !vma->vm_file || (vma->vm_flags & (VM_WRITE | VM_SHARED)) != VM_WRITE ||
	    file_inode(vma->vm_file) != file_inode(res->code->vm_file))
		return resolver_fail(
			res, -EFAULT, addr,
			"a semaphore must be in writable data mapped from the file of its site");
	if (addr % sizeof(uint16_t))
		return resolver_fail(res, -EFAULT, addr, "a semaphore must have an even address");
	res->data = vma;
	site->ref = vma_offset(vma, addr);
	return 0;
}

static int resolve_offset(struct resolver *res, struct fasttrap_site *site)
{
	const struct fasttrap_registration *r = res->registration;

	site->file = 0;
	site->offset = site->desc->addr;
	if (site->offset >= i_size_read(r->files[0].inode))
		return resolver_fail(res, -EFAULT, site->offset, "a site must be in the file");
	return 0;
}

static int resolve_site(struct resolver *res, struct fasttrap_site *site)
{
	int error = res->target->mm ? resolve_code(res, site) : resolve_offset(res, site);

	return error || !site->desc->sema ? error : resolve_semaphore(res, site);
}

/* All sites of a probe, from number at of the registration on. */
static int resolve_probe(struct resolver *res, const struct dtrace_helper_probe *probe,
			 unsigned int at)
{
	struct fasttrap_site *site = &res->registration->sites[at];
	unsigned int i;
	int error = 0;

	for (i = 0; i < probe->nsites && !error; i++, site++) {
		site->desc = &probe->sites[i];
		error = resolve_site(res, site);
	}
	return error;
}

/* Each probe of each provider in the DOF. */
#define for_each_helper_probe(helper, prov, probe)                                              \
	for (prov = (helper)->providers; prov < (helper)->providers + (helper)->nproviders;     \
	     prov++)                                                                            \
		for (probe = prov->probes; probe < prov->probes + prov->nprobes; probe++)

static int resolve_probes(struct resolver *res)
{
	const struct dtrace_helper_dof *helper = res->registration->dof->dof;
	const struct dtrace_helper_provider *prov;
	const struct dtrace_helper_probe *probe;
	unsigned int at = 0;
	int error = 0;

	for_each_helper_probe(helper, prov, probe) {
		error = resolve_probe(res, probe, at);
		if (error)
			return error;
		at += probe->nsites;
	}
	return 0;
}

static int registration_resolve(struct resolver *res)
{
	struct file *file = res->target->file;
	int error;

	if (!res->target->mm) {
		file_number(res->registration, file, d_real_inode(file_dentry(file)), res->mod);
		return resolve_probes(res);
	}
	mmap_read_lock(res->target->mm);
	error = resolve_probes(res);
	mmap_read_unlock(res->target->mm);
	return error;
}

/* ---- groups: the sites of a probe by module and function, in order of address ---- */

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

static unsigned int probe_ngroups(const struct fasttrap_site *sites, unsigned int n)
{
	unsigned int i, groups = 0;

	for (i = 0; i < n; i++)
		groups += site_begins_group(&sites[i], i);
	return groups;
}

static void registration_sort(struct fasttrap_registration *r)
{
	const struct dtrace_helper_provider *prov;
	const struct dtrace_helper_probe *probe;
	struct fasttrap_site *site = r->sites;

	for_each_helper_probe(r->dof->dof, prov, probe) {
		sort(site, probe->nsites, sizeof(*site), site_compare, NULL);
		r->ngroups += probe_ngroups(site, probe->nsites);
		site += probe->nsites;
		cond_resched();
	}
}

static enum fasttrap_kind probe_kind(const char *name)
{
	if (!strcmp(name, "entry"))
		return FASTTRAP_ENTRY;
	return strcmp(name, "return") ? FASTTRAP_OFFSET : FASTTRAP_RETURN;
}

/* The groups of one probe; the next free group. */
static struct fasttrap_group *probe_group(struct fasttrap_registration *r,
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
			group->kind = r->owner ? probe_kind(probe->name) : FASTTRAP_STATIC;
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
		if (group->sites[i].ref && group->sites[i].ref != raised)
			raised = group->sites[i].ref;
		else
			group->sites[i].ref = 0;
	}
}

static int registration_group(struct fasttrap_registration *r)
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
		group = probe_group(r, group, prov, probe, site);
		site += probe->nsites;
	}
	for (i = 0; i < r->ngroups; i++)
		group_share_semaphore(&r->groups[i]);
	return 0;
}

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

static struct fasttrap_provider *provider_get(struct fasttrap_process *process,
					      const struct dtrace_helper_provider *desc,
					      char *errmsg, size_t len)
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

/* ---- probes ---- */

static const char *group_module(const struct fasttrap_group *group)
{
	return group->registration->modules[group->sites->file];
}

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

/* One that is doomed lives on; if it is being buried already, that must end first: -EEXIST. */
static struct fasttrap_probe *probe_get(struct fasttrap_provider *provider,
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

static bool probe_has(const struct fasttrap_probe *probe, uint64_t addr)
{
	const struct fasttrap_group *group;

	list_for_each_entry(group, &probe->groups, in_probe)
		if (group_find(group, addr))
			return true;
	return false;
}

/* A site that was named before, here or in another registration, would fire twice. */
static void group_mark(struct fasttrap_group *group, const struct fasttrap_probe *probe)
{
	struct fasttrap_site *site = group->sites;
	unsigned int i;

	for (i = 0; i < group->nsites; i++, site++)
		site->again = (i && site[-1].desc->addr == site->desc->addr) ||
			      probe_has(probe, site->desc->addr);
}

/* The probe may be enabled by now; that its new sites cannot be is no reason to refuse them. */
static void group_link(struct fasttrap_group *group, struct fasttrap_probe *probe)
{
	tracepoints_lock();
	group_mark(group, probe);
	group->probe = probe;
	list_add_tail(&group->in_probe, &probe->groups);
	probe->ngroups++;
	if (probe->enabled && group_attach(group))
		atomic64_inc(&fasttrap_counts.patch_errors);
	tracepoints_unlock();
}

/*
 * Sites that the heir has too, and that were not used because the group had them, are the heir's from
 * now on. Hits go from one to the other, and none is lost.
 */
static void group_inherit(struct fasttrap_group *heir, const struct fasttrap_group *group)
{
	struct fasttrap_site *site, *old;

	for (site = heir->sites; site < heir->sites + heir->nsites; site++) {
		old = site->again ? group_find(group, site->desc->addr) : NULL;
		if (!old || old->again)
			continue;
		site->again = false;
		old->again = true;
		if (old->member && old->ref == site->ref)
			site_replace(old, site);
	}
}

static bool group_has_own(const struct fasttrap_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nsites; i++)
		if (!group->sites[i].again)
			return true;
	return false;
}

/* [tracepoint lock] What the group leaves behind. */
static void group_bequeath(const struct fasttrap_group *group)
{
	struct fasttrap_group *heir;

	if (!group_has_own(group))
		return;
	list_for_each_entry(heir, &group->probe->groups, in_probe)
		group_inherit(heir, group);
}

/* [tracepoint lock] Inherited sites that were not attached, or with another semaphore. */
static void probe_attach_rest(struct fasttrap_probe *probe)
{
	struct fasttrap_group *group;

	if (!probe->enabled)
		return;
	list_for_each_entry(group, &probe->groups, in_probe)
		if (group_attach(group))
			atomic64_inc(&fasttrap_counts.patch_errors);
}

/* True if the probe has no sites left. */
static bool group_unlink(struct fasttrap_group *group)
{
	bool last;

	tracepoints_lock();
	list_del_init(&group->in_probe);
	group->probe->ngroups--;
	if (!group->registration->process->doomed)
		group_bequeath(group);
	group_detach(group);
	if (!group->registration->process->doomed)
		probe_attach_rest(group->probe);
	last = list_empty(&group->probe->groups);
	tracepoints_unlock();
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

static int group_publish(struct fasttrap_group *group, char *errmsg, size_t len)
{
	struct fasttrap_provider *provider =
		provider_get(group->registration->process, group->provider_desc, errmsg, len);
	struct fasttrap_probe *probe;

	if (IS_ERR(provider))
		return PTR_ERR(provider);
	probe = probe_get(provider, group);
	if (IS_ERR(probe)) {
		snprintf(errmsg, len, "probe %s:%s:%s:%s: cannot be made (error %ld)",
			 provider->name, group_module(group), group->sites->desc->func,
			 group->desc->name, PTR_ERR(probe));
		return PTR_ERR(probe);
	}
	return group_join(group, probe, errmsg, len);
}

/* ---- what is gone ---- */

/*
 * Waiting for firings to end takes long; the worker does it for many at once, without the registry.
 */

#define DOOMED_SITES_MAX	65536	/* with more, who makes them waits for the worker */

static LIST_HEAD(doomed_registrations);	/* registry, as all here */
static LIST_HEAD(doomed_probes);	/* no sites left; may be used again until they are buried */
static unsigned int doomed_sites;

/* Take the groups from their probes. Those that were never published come last. */
static void registration_unlink(struct fasttrap_registration *r)
{
	unsigned int i;

	for (i = 0; i < r->ngroups && r->groups[i].probe; i++)
		if (group_unlink(&r->groups[i]))
			list_add_tail(&r->groups[i].probe->doomed, &doomed_probes);
}

static void registration_doom(struct fasttrap_registration *r)
{
	registration_unlink(r);
	list_add_tail(&r->all, &doomed_registrations);
	WRITE_ONCE(doomed_sites, doomed_sites + r->nsites + 1);
}

bool registrations_crowded(void)
{
	return READ_ONCE(doomed_sites) > DOOMED_SITES_MAX;
}

bool registrations_take(struct list_head *registrations, struct list_head *probes)
{
	struct fasttrap_probe *probe;

	list_for_each_entry(probe, &doomed_probes, doomed) {
		probe->buried = true;
		probe->provider->nprobes--;
	}
	list_splice_tail_init(&doomed_probes, probes);
	list_splice_tail_init(&doomed_registrations, registrations);
	WRITE_ONCE(doomed_sites, 0);
	return !list_empty(registrations);
}

#define BURY_MANY	4096	/* probes for one wait, */
#define BURY_FEW	16	/* or so many when there is no memory for a list of many */

/* The first of the probes; how many. */
static unsigned int probes_take(struct list_head *probes, dtrace_probe_t **taken, unsigned int room)
{
	struct fasttrap_probe *probe, *next;
	unsigned int n = 0;

	list_for_each_entry_safe(probe, next, probes, doomed) {
		if (n == room)
			break;
		list_del(&probe->doomed);
		taken[n++] = probe->probe;
	}
	return n;
}

void probes_bury(struct list_head *probes)
{
	dtrace_probe_t *few[BURY_FEW];
	dtrace_probe_t **many = kvmalloc_array(BURY_MANY, sizeof(*many), GFP_KERNEL);
	unsigned int n;

	while ((n = probes_take(probes, many ?: few, many ? BURY_MANY : BURY_FEW)))
		dtrace_probe_destroy(many ?: few, n);
	kvfree(many);
	synchronize_rcu();	/* hits may still be looking at the sites of other probes */
}

static void process_drop_unused_providers(struct fasttrap_process *process)
{
	struct fasttrap_provider *provider, *next;

	list_for_each_entry_safe(provider, next, &process->providers, all)
		if (!provider->nprobes)
			provider_destroy(provider);
}

void registrations_free(struct list_head *registrations)
{
	struct fasttrap_registration *r, *next;

	list_for_each_entry_safe(r, next, registrations, all) {
		process_drop_unused_providers(r->process);
		registration_free(r);
	}
}

/* ---- registrations ---- */

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

static void registration_add(struct fasttrap_registration *r)
{
	struct fasttrap_process *process = r->process;
	struct fasttrap_load *load = registration_load(r);

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

static int registration_fill(struct fasttrap_registration *r, const struct fasttrap_target *target,
			     const char *mod, char *errmsg, size_t len)
{
	struct resolver res = {
		.registration = r, .target = target, .mod = mod, .errmsg = errmsg, .len = len};
	int error = registration_resolve(&res);

	if (error)
		return error;
	helper_find(r, target);
	registration_sort(r);
	error = registration_group(r);
	return error ?: registration_publish(r, errmsg, len);
}

/* Whether earlier registrations have all its sites, or its helper. */
static bool registration_is_again(const struct fasttrap_registration *r)
{
	unsigned int i;

	if (!r->nsites)
		return helper_is_again(r);

	for (i = 0; i < r->nsites; i++)
		if (!r->sites[i].again)
			return false;
	return true;
}

struct fasttrap_registration *registration_create(struct fasttrap_process *process,
						  const struct fasttrap_target *target,
						  const char *mod, struct fasttrap_dof *dof,
						  char *errmsg, size_t len)
{
	int error = owner_has_room(target->owner, process, dof->dof, errmsg, len);
	struct fasttrap_registration *r;

	if (error)
		return ERR_PTR(error);
	r = registration_alloc(process, target->owner, dof);
	if (!r)
		return ERR_PTR(-ENOMEM);
	r->follow = target->follow;
	error = registration_fill(r, target, mod, errmsg, len);
	if (!error && target->by_proxy && !target->owner && registration_is_again(r))
		error = -EALREADY;
	if (error) {
		registration_doom(r);
		return ERR_PTR(error);
	}
	r->gen = process->next_gen;
	process->next_gen = r->gen == INT_MAX ? 0 : r->gen + 1;
	registration_add(r);
	return r;
}

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
		r->sites[i].ref = source->sites[i].ref;
	}
	r->ngroups = source->ngroups;
	r->helper = source->helper;
}

static struct fasttrap_registration *registration_copy_charged(
	struct fasttrap_process *process, const struct fasttrap_registration *source)
{
	struct fasttrap_registration *r;
	char errmsg[64];
	int error = source->owner ? owner_has_room(source->owner, process, source->dof->dof,
						   errmsg, sizeof(errmsg))
				  : 0;

	if (error)
		return ERR_PTR(error);
	r = registration_alloc(process, source->owner, source->dof);
	if (!r)
		return ERR_PTR(-ENOMEM);
	r->follow = source->follow;
	registration_copy_sites(r, source);
	error = registration_group(r);
	error = error ?: registration_publish(r, errmsg, sizeof(errmsg));
	if (error) {
		registration_doom(r);
		return ERR_PTR(error);
	}
	r->gen = source->gen;
	registration_add(r);
	return r;
}

struct fasttrap_registration *registration_copy(struct fasttrap_process *process,
						const struct fasttrap_registration *source)
{
	struct fasttrap_registration *r;
	struct mem_cgroup *before;

	if (!source->owner)
		return registration_copy_charged(process, source);
	before = set_active_memcg(source->owner->memcg);
	r = registration_copy_charged(process, source);
	set_active_memcg(before);
	return r;
}

/* Groups of one provider follow one another. */
void registration_match(struct fasttrap_registration *r)
{
	const struct fasttrap_provider *last = NULL;
	unsigned int i;

	for (i = 0; i < r->ngroups; i++) {
		struct fasttrap_provider *provider = r->groups[i].probe->provider;

		if (provider != last)
			dtrace_provider_match(provider->provider);
		last = provider;
	}
}

void registration_remove(struct fasttrap_registration *r)
{
	struct fasttrap_process *process = r->process;
	struct fasttrap_load *load = registration_load(r);

	list_del(&r->all);
	list_del_init(&r->owned);
	load->nregistrations--;
	load->nsites -= r->nsites;
	load->bytes -= r->dof->dof->bytes;
	if (r->helper.program) {
		process->nhelpers--;
		helpers_publish(process);
	}
	registration_doom(r);
}
