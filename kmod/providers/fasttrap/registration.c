// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * registration.c - one DOF of a process or a session: check it, find its sites in the mappings,
 * register it, copy it for fork children, remove it; and the address spaces that have some.
 *
 * A registration is prepared without any lock of fasttrap, because finding its sites in the
 * target's mappings takes time and waits for the target's mmap_lock. Then it enters the registry.
 * The registry lock protects everything but preparing. events.c has the table by which hits and
 * events find processes.
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "impl.h"
#include "process/mapping.h"

/* ---- DOF ---- */

/*
 * Wrap DOF, charged to the account. helper becomes the wrapper's, on errors too. Return -ENOMEM, or
 * -EDQUOT with a reason in errmsg, as ERR_PTR.
 */
static struct fasttrap_dof *dof_create(struct dtrace_helper_dof *helper,
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

static void dof_free(struct kref *ref)
{
	struct fasttrap_dof *dof = container_of(ref, struct fasttrap_dof, ref);

	dtrace_account_uncharge(dof->account, DTRACE_RES_BYTES, dof->dof->bytes);
	dtrace_account_put(dof->account);
	dtrace_helper_free(dof->dof);
	kfree(dof);
}

void fasttrap_dof_put(struct fasttrap_dof *dof)
{
	kref_put(&dof->ref, dof_free);
}

/* ---- memory ---- */

/*
 * Allocate a registration. process: NULL until it is known; session: NULL or the session to which
 * it belongs. Before anything is allocated, the account is charged for the maximum: a group for
 * each site. Return -ENOMEM, or -EDQUOT with a reason in errmsg, as ERR_PTR.
 */
static struct fasttrap_registration *registration_alloc(struct fasttrap_process *process,
							struct fasttrap_session *session,
							struct dtrace_account *account,
							struct fasttrap_dof *dof, char *errmsg,
							size_t len)
{
	struct fasttrap_registration *r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	int error;

	if (!r)
		return ERR_PTR(-ENOMEM);
	r->nsites = dof->dof->nsites;
	r->bytes = sizeof(*r) + FASTTRAP_MAXFILES * sizeof(*r->modules) +
		   (u64)r->nsites * (sizeof(*r->sites) + sizeof(*r->groups));
	error = dtrace_account_charge(account, DTRACE_RES_REGISTRATIONS, 1, errmsg, len);
	if (error)
		goto no_registration;
	error = dtrace_account_charge(account, DTRACE_RES_SITES, r->nsites, errmsg, len);
	if (error)
		goto no_sites;
	error = dtrace_account_charge(account, DTRACE_RES_BYTES, r->bytes, errmsg, len);
	if (error)
		goto no_bytes;
	r->account = dtrace_account_ref(account);
	r->process = process;
	r->session = session;
	INIT_LIST_HEAD(&r->in_session);
	kref_get(&dof->ref);
	r->dof = dof;
	r->sites = kvcalloc(max(r->nsites, 1U), sizeof(*r->sites), GFP_KERNEL_ACCOUNT);
	r->modules = kcalloc(FASTTRAP_MAXFILES, sizeof(*r->modules), GFP_KERNEL_ACCOUNT);
	if (r->sites && r->modules)
		return r;
	fasttrap_registration_free(r);
	return ERR_PTR(-ENOMEM);

no_bytes:
	dtrace_account_uncharge(account, DTRACE_RES_SITES, r->nsites);
no_sites:
	dtrace_account_uncharge(account, DTRACE_RES_REGISTRATIONS, 1);
no_registration:
	kfree(r);
	return ERR_PTR(error);
}

void fasttrap_registration_free(struct fasttrap_registration *r)
{
	unsigned int i;

	for (i = 0; i < r->nfiles; i++)
		fput(r->files[i].file);
	kvfree(r->groups);
	kvfree(r->sites);
	kfree(r->modules);
	fasttrap_dof_put(r->dof);
	dtrace_account_uncharge(r->account, DTRACE_RES_REGISTRATIONS, 1);
	dtrace_account_uncharge(r->account, DTRACE_RES_SITES, r->nsites);
	dtrace_account_uncharge(r->account, DTRACE_RES_BYTES, r->bytes);
	dtrace_account_put(r->account);
	kfree(r);
}

/* ---- what may be registered ---- */

/*
 * Check that the target may register the DOF: a provider pidN is for sessions only, and sessions
 * have no other. Return 0, or -EINVAL with a reason in errmsg. No lock.
 */
static int check_dof(const struct fasttrap_target *target, const struct dtrace_helper_dof *dof,
		     char *errmsg, size_t len)
{
	const struct dtrace_helper_provider *provider = dof->providers;
	const struct dtrace_helper_probe *probe;
	const struct dtrace_helper_site *site;

	if (!target->session)
		return dtrace_helper_check_names(dof, errmsg, len);
	if (dof->nproviders != 1 || strcmp(provider->name, "pid")) {
		strscpy(errmsg, "pid probes are those of a provider pid, alone", len);
		return -EINVAL;
	}
	if (dof->program) {
		strscpy(errmsg, "pid probes have no helpers", len);
		return -EINVAL;
	}
	for (probe = provider->probes; probe < provider->probes + provider->nprobes; probe++) {
		if (probe->nargs || probe->nxargs)
			goto not_plain;
		for (site = probe->sites; site < probe->sites + probe->nsites; site++)
			if (site->sema || site->isenabled || !site->locs)
				goto not_plain;
	}
	return 0;

not_plain:
	strscpy(errmsg, "pid probes have recorded sites, and no semaphores or types", len);
	return -EINVAL;
}

static const struct fasttrap_load process_limits = {
	.nregistrations = DTRACE_HELPER_MAXREGS,
	.nsites = DTRACE_HELPER_MAXSITES,
	.bytes = DTRACE_HELPER_MAXBYTES,
};

static const struct fasttrap_load session_limits = {
	.nregistrations = DTRACE_FT_MAXREGS,
	.nsites = DTRACE_FT_MAXSITES,
	.bytes = DTRACE_FT_MAXBYTES,
};

/*
 * Check that the limits of the session (NULL: of the process) permit one more registration
 * [registry lock]. Return 0, or -ENOSPC with a reason.
 */
static int check_limits(const struct fasttrap_session *session,
			const struct fasttrap_process *process, const struct dtrace_helper_dof *dof,
			char *errmsg, size_t len)
{
	const struct fasttrap_load *limits = session ? &session_limits : &process_limits;
	const struct fasttrap_load *load = session ? &session->load : &process->load;
	const char *who = session ? "the session" : "the process";

	fasttrap_registry_assert_locked();
	if (!session && dof->program && process->nhelpers >= DTRACE_UHELP_MAXHELPERS)
		snprintf(errmsg, len, "the process has %u registrations with helpers already",
			 process->nhelpers);
	else if (load->nregistrations >= limits->nregistrations)
		snprintf(errmsg, len, "%s has %u registrations already", who, load->nregistrations);
	else if (dof->nsites > limits->nsites - load->nsites)
		snprintf(errmsg, len, "%s would have more than %u sites", who, limits->nsites);
	else if (dof->bytes > limits->bytes - load->bytes)
		snprintf(errmsg, len, "the probes of %s would take more than %llu bytes", who,
			 (unsigned long long)limits->bytes);
	else
		return 0;
	return -ENOSPC;
}

/* ---- the locations of sites ---- */

/*
 * Addresses that a process registers are checked against its own mappings: a site must be in code
 * that is mapped privately from a file, a semaphore in a private writable mapping of the same file.
 * System-wide sites are file offsets to begin with.
 */

#define RESOLVE_BATCH 1024 /* sites between two checks for a fatal signal */

/* The mappings that were found last, with the target's mmap_lock. */
struct resolve {
	struct fasttrap_registration *registration;
	const struct fasttrap_target *target;
	const char *mod;
	struct vm_area_struct *code, *data;
	int file; /* index of code's file */
	char *errmsg;
	size_t len;
};

/*
 * Return a file's index in the registration, or -1 if there are too many files. The module's name
 * is that of the file if none is given. Characters that cannot be part of a probe's name are
 * replaced.
 */
static int resolve_file(struct fasttrap_registration *r, struct file *file, struct inode *inode,
			const char *mod)
{
	struct name_snapshot name;
	unsigned int i;
	char *c;

	for (i = 0; i < r->nfiles; i++)
		if (r->files[i].inode == inode)
			return i;
	if (r->nfiles == FASTTRAP_MAXFILES)
		return -1;
	r->files[i].file = get_file(file);
	r->files[i].inode = inode;
	if (mod[0]) {
		strscpy(r->modules[i], mod, DTRACE_MODNAMELEN);
	} else {
		take_dentry_name_snapshot(&name, file->f_path.dentry);
		strscpy(r->modules[i], name.name.name, DTRACE_MODNAMELEN);
		release_dentry_name_snapshot(&name);
	}
	for (c = r->modules[i]; *c; c++)
		if (*c == ' ' || *c == ':' || dtrace_is_control(c))
			*c = '_';
	r->nfiles++;
	return i;
}

/* Return the mapping at addr, or NULL. last: the mapping that was found before. */
static struct vm_area_struct *resolve_vma(const struct resolve *res, struct vm_area_struct *last,
					  uint64_t addr)
{
	if (!last || addr < last->vm_start || addr >= last->vm_end)
		last = find_vma(res->target->mm, addr);
	return last && addr >= last->vm_start ? last : NULL;
}

static int resolve_fail(struct resolve *res, int error, uint64_t addr, const char *why)
{
	snprintf(res->errmsg, res->len, "%#llx: %s", (unsigned long long)addr, why);
	return error;
}

/* Find a site in a process's mappings. */
static int resolve_code(struct resolve *res, struct fasttrap_site *site)
{
	uint64_t addr = site->desc->addr;
	struct vm_area_struct *vma = resolve_vma(res, res->code, addr);

	if (!mapping_is_code(vma))
		return resolve_fail(res, -EFAULT, addr,
				    "a site must be in code that is mapped from a file");
	if (vma != res->code) {
		if (mapping_is_served(vma) && !res->target->trusted)
			return resolve_fail(res, -EFAULT, addr,
					    "a site cannot be in a file of a FUSE file system");
		res->file = resolve_file(res->registration, vma->vm_file, file_inode(vma->vm_file),
					 res->mod);
		if (res->file < 0)
			return resolve_fail(res, -E2BIG, addr, "the sites lie in too many files");
		res->code = vma;
	}
	site->file = (uint8_t)res->file;
	site->offset = mapping_offset(vma, addr);
	return 0;
}

/* Find the semaphore of a site, which was found before. */
static int resolve_semaphore(struct resolve *res, struct fasttrap_site *site)
{
	uint64_t addr = site->desc->sema;
	struct vm_area_struct *vma = resolve_vma(res, res->data, addr);

	if (!vma || !vma->vm_file || (vma->vm_flags & (VM_WRITE | VM_SHARED)) != VM_WRITE ||
	    file_inode(vma->vm_file) != file_inode(res->code->vm_file))
		return resolve_fail(
			res, -EFAULT, addr,
			"a semaphore must be in writable data mapped from the file of its site");
	if (addr % sizeof(uint16_t))
		return resolve_fail(res, -EFAULT, addr, "a semaphore must have an even address");
	res->data = vma;
	site->refctr = mapping_offset(vma, addr);
	return 0;
}

/* Check a system-wide site. */
static int resolve_offset(struct resolve *res, struct fasttrap_site *site)
{
	site->file = 0;
	site->offset = site->desc->addr;
	if (site->offset >= i_size_read(res->registration->files[0].inode))
		return resolve_fail(res, -EFAULT, site->offset, "a site must be in the file");
	return 0;
}

static int resolve_sites(struct resolve *res)
{
	const struct dtrace_helper_dof *helper = res->registration->dof->dof;
	const struct dtrace_helper_provider *prov;
	const struct dtrace_helper_probe *probe;
	struct fasttrap_site *site = res->registration->sites;
	unsigned int i, n = 0;
	int error;

	for_each_helper_probe(helper, prov, probe)
		for (i = 0; i < probe->nsites; i++, site++) {
			site->desc = &probe->sites[i];
			error = res->target->mm ? resolve_code(res, site)
						: resolve_offset(res, site);
			if (!error && site->desc->sema)
				error = resolve_semaphore(res, site);
			if (error)
				return error;
			if (++n % RESOLVE_BATCH)
				continue;
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
	return 0;
}

/*
 * Find each site's location in target's mappings. mod: the module's name, empty: that of each file.
 * Return -EFAULT or -E2BIG with a reason in errmsg; -EINTR if the caller is being killed. No lock
 * may be held.
 *
 * Only the target's mmap_lock is held here, for reading. The target's owner can keep it locked for
 * as long as they like (a page of a FUSE file that never comes is enough). Only threads that
 * register for this target wait then, and killably. No other thread knows the registration yet.
 */
static int resolve(struct fasttrap_registration *r, const struct fasttrap_target *target,
		   const char *mod, char *errmsg, size_t len)
{
	struct resolve res = {
		.registration = r, .target = target, .mod = mod, .errmsg = errmsg, .len = len};
	int error;

	if (!target->mm) {
		resolve_file(r, target->file, d_real_inode(file_dentry(target->file)), mod);
		return resolve_sites(&res);
	}
	error = mmap_read_lock_killable(target->mm);
	if (error)
		return error;
	error = resolve_sites(&res);
	mmap_read_unlock(target->mm);
	return error;
}

/* ---- in the registry ---- */

static void registration_add(struct fasttrap_registration *r)
{
	struct fasttrap_process *process = r->process;
	struct fasttrap_load *load = r->session ? &r->session->load : &process->load;

	fasttrap_registry_assert_locked();
	list_add_tail(&r->all, &process->registrations);
	if (r->session)
		list_add_tail(&r->in_session, &r->session->registrations);
	load->nregistrations++;
	load->nsites += r->nsites;
	load->bytes += r->dof->dof->bytes;
	if (r->helper.program) {
		process->nhelpers++;
		fasttrap_helpers_publish(process);
	}
}

void fasttrap_registration_remove(struct fasttrap_registration *r)
{
	struct fasttrap_process *process = r->process;
	struct fasttrap_load *load = r->session ? &r->session->load : &process->load;

	fasttrap_registry_assert_locked();
	list_del(&r->all);
	list_del_init(&r->in_session);
	load->nregistrations--;
	load->nsites -= r->nsites;
	load->bytes -= r->dof->dof->bytes;
	if (r->helper.program) {
		process->nhelpers--;
		fasttrap_helpers_publish(process);
	}
	fasttrap_retire(r);
}

/* Publish all groups. On errors, the caller retires the published groups. */
static int registration_publish(struct fasttrap_registration *r, char *errmsg, size_t len)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < r->ngroups && !error; i++) {
		error = fasttrap_group_publish(&r->groups[i], errmsg, len);
		cond_resched();
	}
	return error;
}

/*
 * Groups of one provider follow one another, so each provider is matched once. Matching is
 * completed even if the registering process is being killed, because sessions of others wait for
 * the probes. Without memory (-ENOMEM) they miss the probes, as they do when there is none to
 * enable them.
 */
void fasttrap_registration_match(struct fasttrap_registration *r)
{
	const struct fasttrap_provider *last = NULL;
	struct fasttrap_provider *provider;
	unsigned int i;

	fasttrap_registry_assert_locked();
	for (i = 0; i < r->ngroups; i++) {
		provider = r->groups[i].probe->provider;
		if (provider != last)
			dtrace_provider_match(provider->provider);
		last = provider;
	}
}

struct fasttrap_registration *fasttrap_registration_copy(struct fasttrap_process *process,
							 const struct fasttrap_registration *source,
							 char *errmsg, size_t len)
{
	struct fasttrap_session *session = source->session;
	struct dtrace_account *account = session ? session->account : process->account;
	struct fasttrap_registration *r;
	unsigned int i;
	int error;

	fasttrap_registry_assert_locked();
	if (session) {
		error = check_limits(session, process, source->dof->dof, errmsg, len);
		if (error)
			return ERR_PTR(error);
	}
	r = registration_alloc(process, session, account, source->dof, errmsg, len);
	if (IS_ERR(r))
		return r;
	r->follow = source->follow;
	r->program = source->program;
	/* The child has the same mappings: copy what was found and sorted for the parent. */
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
	error = fasttrap_group_create_sorted(r);
	error = error ?: registration_publish(r, errmsg, len);
	if (error) {
		fasttrap_retire(r);
		return ERR_PTR(error);
	}
	r->gen = source->gen;
	registration_add(r);
	return r;
}

/* ---- processes ---- */

LIST_HEAD(fasttrap_processes);
/*
 * It stands for all processes, with the registrations of files. In no table, and never freed. All
 * its registrations have sessions.
 */
static struct fasttrap_process system_wide = {
	.state = FASTTRAP_PROCESS_LIVE,
	.dying = LIST_HEAD_INIT(system_wide.dying),
	.registrations = LIST_HEAD_INIT(system_wide.registrations),
	.providers = LIST_HEAD_INIT(system_wide.providers),
};

struct fasttrap_process *fasttrap_process_create(const struct fasttrap_target *target)
{
	struct fasttrap_process *process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT);

	fasttrap_registry_assert_locked();
	if (!process)
		return NULL;
	process->account = dtrace_account_ref(target->account);
	mmgrab(target->mm);
	process->mm = target->mm;
	process->pid = target->pid;
	process->uid = target->uid;
	memcpy(process->comm, target->comm, sizeof(process->comm));
	INIT_LIST_HEAD(&process->dying);
	INIT_LIST_HEAD(&process->registrations);
	INIT_LIST_HEAD(&process->providers);
	list_add_tail(&process->all, &fasttrap_processes);
	return process;
}

/*
 * Return the process with that memory, or NULL. First copy the registrations of its parent, if it
 * is a fork child without them; and copy its own to its fork children, so that later changes do not
 * reach these. [registry lock]
 */
static struct fasttrap_process *process_find(struct mm_struct *mm)
{
	struct fasttrap_fork *fork = fasttrap_events_fork(mm);
	struct fasttrap_process *process;

	fasttrap_registry_assert_locked();
	if (fork)
		fasttrap_fork_copy(fork);
	process = fasttrap_events_process(mm);
	if (process)
		fasttrap_fork_copy_to_children(process);
	return process;
}

/* Find the target's process in the same way, or create it. Return NULL without memory. */
static struct fasttrap_process *process_find_or_create(const struct fasttrap_target *target)
{
	struct fasttrap_process *process = target->mm ? process_find(target->mm) : &system_wide;

	fasttrap_registry_assert_locked();
	if (process)
		return process;
	process = fasttrap_process_create(target);
	if (process)
		fasttrap_events_process_add(process);
	return process;
}

/* ---- register ---- */

/*
 * Create a registration that is not in the registry, and find its sites in the target's mappings.
 * dof is borrowed. Return errors as ERR_PTR, with a reason in errmsg; -EINTR if the caller is being
 * killed, which may wait for the target's mmap_lock. No lock may be held.
 */
static struct fasttrap_registration *registration_prepare(const struct fasttrap_target *target,
							  const char *mod, struct fasttrap_dof *dof,
							  char *errmsg, size_t len)
{
	int error = check_dof(target, dof->dof, errmsg, len);
	struct fasttrap_registration *r;

	if (error)
		return ERR_PTR(error);
	r = registration_alloc(NULL, target->session, dof->account, dof, errmsg, len);
	if (IS_ERR(r))
		return r;
	r->follow = target->follow;
	r->program = target->program;
	error = resolve(r, target, mod, errmsg, len);
	if (error)
		goto fail;
	error = fasttrap_helper_resolve(r, target);
	if (error)
		goto fail;
	error = fasttrap_group_create_all(r);
	if (error)
		goto fail;
	return r;

fail:
	fasttrap_registration_free(r);
	return ERR_PTR(error);
}

/* Return whether earlier registrations have all sites of this one, or its helper. */
static bool registration_is_duplicate(const struct fasttrap_registration *r)
{
	unsigned int i;

	if (!r->nsites)
		return fasttrap_helper_is_duplicate(r);
	for (i = 0; i < r->nsites; i++)
		if (!r->sites[i].duplicate)
			return false;
	return true;
}

/*
 * Enter a prepared registration into the registry: create its probes and match them. On errors, the
 * registration is freed, or retired. Return its number, or a negative errno with a reason in
 * errmsg; by proxy -EALREADY if all of it was registered before.
 */
static int registration_enter(struct fasttrap_registration *r, const struct fasttrap_target *target,
			      char *errmsg, size_t len)
{
	struct fasttrap_process *process = process_find_or_create(target);
	int error = -ENOMEM;

	fasttrap_registry_assert_locked();
	if (!process)
		goto free;
	error = check_limits(r->session, process, r->dof->dof, errmsg, len);
	if (error)
		goto free;
	r->process = process;
	error = registration_publish(r, errmsg, len);
	if (!error && target->by_proxy && !r->session && registration_is_duplicate(r))
		error = -EALREADY;
	if (error) {
		fasttrap_retire(r);
		goto fail;
	}
	r->gen = process->next_gen;
	process->next_gen = r->gen == INT_MAX ? 0 : r->gen + 1;
	registration_add(r);
	fasttrap_registration_match(r);
	return r->gen;

free:
	fasttrap_registration_free(r);
fail:
	fasttrap_events_soon(); /* the process may have nothing, and providers no probes */
	return error;
}

/*
 * Register once. The target's mappings may change between the search for sites and the registry
 * lock, as they may at any later time: uprobes checks for itself. The caller holds the address
 * space, and fasttrap_recheck looks whether it is still the target's.
 */
static int register_once(const struct fasttrap_target *target, const char *mod,
			 struct fasttrap_dof *dof, char *errmsg, size_t len)
{
	struct fasttrap_registration *r = registration_prepare(target, mod, dof, errmsg, len);
	int gen;

	if (IS_ERR(r))
		return PTR_ERR(r);
	if (fasttrap_fork_lock_parent(target->mm)) {
		fasttrap_registration_free(r);
		return -EINTR;
	}
	gen = registration_enter(r, target, errmsg, len);
	fasttrap_registry_unlock();
	return gen;
}

int fasttrap_register(const struct fasttrap_target *target, const char *mod,
		      struct dtrace_helper_dof *helper, char *errmsg, size_t len)
{
	struct fasttrap_dof *dof = dof_create(
		helper, target->session ? target->session->account : target->account, errmsg, len);
	unsigned int n;
	int gen;

	if (IS_ERR(dof))
		return PTR_ERR(dof);
	gen = register_once(target, mod, dof, errmsg, len);
	/*
	 * The process has called exec, or reuses the PID of an ended process, and the old probes
	 * are not retired yet.
	 */
	for (n = 0; gen == -EEXIST && n < FASTTRAP_DYING_RUNS + 2; n++)
		gen = fasttrap_events_flush_killable()
			      ?: register_once(target, mod, dof, errmsg, len);
	fasttrap_dof_put(dof);
	if (fasttrap_retire_is_crowded()) /* failed registrations are retired too */
		(void)fasttrap_events_flush_killable();
	if (gen < 0)
		return gen;
	atomic64_inc(&fasttrap_counts.registrations);
	(void)fasttrap_uprobe_wait(); /* sessions that wait for the probes see the first hit */
	return gen;
}

/* ---- remove and count ---- */

int fasttrap_remove(struct mm_struct *mm, const struct fasttrap_session *session, int gen)
{
	struct fasttrap_registration *r;
	struct fasttrap_process *process;
	int error = fasttrap_fork_lock_parent(mm);

	if (error)
		return error;
	error = -ENOENT;
	process = mm ? process_find(mm) : &system_wide;
	if (process)
		list_for_each_entry(r, &process->registrations, all)
			if (r->gen == gen && r->session == session) {
				fasttrap_registration_remove(r);
				fasttrap_events_soon();
				error = 0;
				break;
			}
	fasttrap_registry_unlock();
	if (error)
		return error;
	atomic64_inc(&fasttrap_counts.removals);
	error = fasttrap_uprobe_wait();
	if (fasttrap_retire_is_crowded())
		error = fasttrap_events_flush_killable();
	return error;
}

int fasttrap_count(struct mm_struct *mm, uint32_t *registrations, uint32_t *sites)
{
	const struct fasttrap_process *process;
	int error = fasttrap_events_flush_killable() ?: fasttrap_registry_lock_killable();

	if (error)
		return error;
	process = fasttrap_events_process(mm);
	*registrations = process ? process->load.nregistrations : 0;
	*sites = process ? process->load.nsites : 0;
	fasttrap_registry_unlock();
	return 0;
}
