// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * resolve.c - find the file and offset of each site in the target's mappings.
 *
 * Addresses that a process registers are checked against its own mappings: a site must be in code
 * that is mapped privately from a file, a semaphore in a private writable mapping of the same file.
 * System-wide sites are file offsets to begin with.
 *
 * Only the target's mmap_lock is held here, for reading. The target's owner can keep it locked for
 * as long as they like (a page of a FUSE file that never comes is enough). Only threads that
 * register for this target wait then, and killably. No other thread knows the registration yet.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "impl.h"
#include "process/mapping.h"

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
		if (*c <= ' ' || *c == ':' || *c == 0x7f)
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

int fasttrap_resolve(struct fasttrap_registration *r, const struct fasttrap_target *target,
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
