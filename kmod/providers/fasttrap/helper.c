// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper.c - the ustack helpers of processes: find the text of their objects, and publish them to
 * the engine.
 *
 * Firings find a process's helpers under RCU. The programs of helpers belong to registrations,
 * which the retire worker frees after firings have ended.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "impl.h"

/*
 * The text of an object is the executable mappings in a run of mappings of one file, as the loader
 * has made them. The run is the one with the helper's address.
 */
int fasttrap_helper_resolve(struct fasttrap_registration *r, const struct fasttrap_target *target)
{
	struct dtrace_helper *helper = &r->helper;
	uint64_t addr = r->dof->dof->user;
	struct vm_area_struct *vma;
	struct inode *run = NULL, *inode;
	bool found = false;

	helper->program = r->dof->dof->program;
	if (!helper->program)
		return 0;
	if (mmap_read_lock_killable(target->mm))
		return -EINTR;
	for (vma = find_vma(target->mm, 0); vma; vma = find_vma(target->mm, vma->vm_end)) {
		inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;
		if (inode != run) {
			if (found)
				break;
			helper->ntexts = 0;
			run = inode;
		}
		if (!inode)
			continue;
		found |= addr >= vma->vm_start && addr < vma->vm_end;
		if ((vma->vm_flags & (VM_EXEC | VM_MAYSHARE)) == VM_EXEC &&
		    helper->ntexts < DTRACE_UHELP_MAXTEXTS) {
			helper->texts[helper->ntexts].start = vma->vm_start;
			helper->texts[helper->ntexts].end = vma->vm_end;
			helper->ntexts++;
		}
	}
	mmap_read_unlock(target->mm);
	if (!found)
		helper->ntexts = 0;
	return 0;
}

bool fasttrap_helper_is_duplicate(const struct fasttrap_registration *r)
{
	const struct fasttrap_registration *other;

	fasttrap_registry_assert_locked();
	if (!r->helper.program)
		return false;
	list_for_each_entry(other, &r->process->registrations, all)
		if (other->helper.program && other->dof->dof->user == r->dof->dof->user)
			return true;
	return false;
}

/* Without memory for the new list, the process has no helpers. */
void fasttrap_helpers_publish(struct fasttrap_process *process)
{
	struct fasttrap_helpers *new = NULL, *old;
	const struct fasttrap_registration *r;

	fasttrap_registry_assert_locked();
	if (process->nhelpers)
		new = kzalloc(struct_size(new, helpers.list, process->nhelpers),
			      GFP_KERNEL_ACCOUNT);
	if (new) {
		new->helpers.account = process->account;
		list_for_each_entry(r, &process->registrations, all)
			if (r->helper.program && new->helpers.n < process->nhelpers)
				new->helpers.list[new->helpers.n++] = r->helper;
	}
	old = rcu_replace_pointer(process->helpers, new, fasttrap_registry_is_mine());
	if (old)
		kfree_rcu(old, rcu);
}

const struct dtrace_helpers *fasttrap_helpers(const struct mm_struct *mm)
{
	const struct fasttrap_process *process = fasttrap_events_process_or_source(mm);
	const struct fasttrap_helpers *helpers;

	if (!process)
		return NULL;
	helpers = rcu_dereference_check(process->helpers, true);
	return helpers ? &helpers->helpers : NULL;
}
