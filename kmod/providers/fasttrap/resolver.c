// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * resolver.c - from the addresses of sites to places in files.
 *
 * What a process says about addresses is believed only as far as its own mappings bear it out: a
 * site must be in code that is mapped from a file, privately; a semaphore in a private writable
 * mapping of the same file. Sites of everybody are offsets in a file to begin with.
 *
 * No lock of fasttrap's is held here, only the target's mmap_lock, for reading: its owner can keep
 * that locked for as long as they like (a page of a FUSE file that never comes is enough), and then
 * nobody may wait but who registers for that target, until they are killed. The registration is
 * nobody else's yet.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "impl.h"
#include "process/mapping.h"

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
static int resolver_file(struct fasttrap_registration *r, struct file *file, struct inode *inode,
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

/* ---- sites ---- */

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

static int resolver_fail(struct resolver *res, int error, uint64_t addr, const char *why)
{
	snprintf(res->errmsg, res->len, "%#llx: %s", (unsigned long long)addr, why);
	return error;
}

static int resolver_code(struct resolver *res, struct fasttrap_site *site)
{
	uint64_t addr = site->desc->addr;
	struct vm_area_struct *vma = resolver_vma(res, res->code, addr);

	if (!mapping_is_code(vma))
		return resolver_fail(res, -EFAULT, addr,
				     "a site must be in code that is mapped from a file");
	if (vma != res->code) {
		if (mapping_is_served(vma) && !res->target->trusted)
			return resolver_fail(res, -EFAULT, addr,
					     "a site cannot be in a file of a FUSE file system");
		res->file = resolver_file(res->registration, vma->vm_file,
					  file_inode(vma->vm_file), res->mod);
		if (res->file < 0)
			return resolver_fail(res, -E2BIG, addr, "the sites lie in too many files");
		res->code = vma;
	}
	site->file = (uint8_t)res->file;
	site->offset = mapping_offset(vma, addr);
	return 0;
}

static int resolver_semaphore(struct resolver *res, struct fasttrap_site *site)
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
	site->refctr = mapping_offset(vma, addr);
	return 0;
}

static int resolver_offset(struct resolver *res, struct fasttrap_site *site)
{
	const struct fasttrap_registration *r = res->registration;

	site->file = 0;
	site->offset = site->desc->addr;
	if (site->offset >= i_size_read(r->files[0].inode))
		return resolver_fail(res, -EFAULT, site->offset, "a site must be in the file");
	return 0;
}

static int resolver_site(struct resolver *res, struct fasttrap_site *site)
{
	int error = res->target->mm ? resolver_code(res, site) : resolver_offset(res, site);

	return error || !site->desc->sema ? error : resolver_semaphore(res, site);
}

/* ---- all of a registration ---- */

#define RESOLVER_BATCH	1024	/* sites between two looks at whether the caller is being killed */

/* All sites of a probe, from number at of the registration on. */
static int resolver_probe(struct resolver *res, const struct dtrace_helper_probe *probe,
			  unsigned int at)
{
	struct fasttrap_site *site = &res->registration->sites[at];
	unsigned int i;
	int error = 0;

	for (i = 0; i < probe->nsites && !error; i++, site++) {
		site->desc = &probe->sites[i];
		error = resolver_site(res, site);
		if ((at + i) % RESOLVER_BATCH == RESOLVER_BATCH - 1) {
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
	}
	return error;
}

static int resolver_probes(struct resolver *res)
{
	const struct dtrace_helper_dof *helper = res->registration->dof->dof;
	const struct dtrace_helper_provider *prov;
	const struct dtrace_helper_probe *probe;
	unsigned int at = 0;
	int error = 0;

	for_each_helper_probe(helper, prov, probe) {
		error = resolver_probe(res, probe, at);
		if (error)
			return error;
		at += probe->nsites;
	}
	return 0;
}

static int resolver_mapped(struct resolver *res)
{
	int error = mmap_read_lock_killable(res->target->mm);

	if (error)
		return error;
	error = resolver_probes(res);
	mmap_read_unlock(res->target->mm);
	return error;
}

int resolver_run(struct fasttrap_registration *r, const struct fasttrap_target *target,
		 const char *mod, char *errmsg, size_t len)
{
	struct resolver res = {
		.registration = r, .target = target, .mod = mod, .errmsg = errmsg, .len = len};

	if (target->mm)
		return resolver_mapped(&res);
	resolver_file(r, target->file, d_real_inode(file_dentry(target->file)), mod);
	return resolver_probes(&res);
}
