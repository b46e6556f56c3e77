// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper.c - the ustack helpers of processes: where their objects have their text, and
 * what the engine is told of them.
 *
 * Firings find a process's helpers under RCU. Their programs belong to registrations, which are
 * freed by the worker after it has waited for firings to end.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "impl.h"

/* ---- the text of an object ---- */

/*
 * Mappings of one file that follow one another, up to the one that is looked at: as the loader has
 * put them there.
 */
struct object_walk {
	struct inode *inode;
	bool found;			/* the address that is looked for is in one of them */
};

static bool helper_vma_is_text(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & (VM_EXEC | VM_MAYSHARE)) == VM_EXEC;
}

static void helper_add_text(struct dtrace_helper *helper, const struct vm_area_struct *vma)
{
	if (!helper_vma_is_text(vma) || helper->ntexts == DTRACE_UHELP_MAXTEXTS)
		return;
	helper->texts[helper->ntexts].start = vma->vm_start;
	helper->texts[helper->ntexts].end = vma->vm_end;
	helper->ntexts++;
}

/* False: the object that has the address is complete. */
static bool object_step(struct object_walk *walk, struct dtrace_helper *helper,
			const struct vm_area_struct *vma, uint64_t addr)
{
	struct inode *inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;

	if (inode != walk->inode) {
		if (walk->found)
			return false;
		helper->ntexts = 0;
		walk->inode = inode;
	}
	if (inode) {
		helper_add_text(helper, vma);
		walk->found |= addr >= vma->vm_start && addr < vma->vm_end;
	}
	return true;
}

int helper_find(struct fasttrap_registration *r, const struct fasttrap_target *target)
{
	uint64_t addr = r->dof->dof->user;
	struct object_walk walk = {};
	struct vm_area_struct *vma;

	r->helper.program = r->dof->dof->program;
	if (!r->helper.program)
		return 0;
	if (mmap_read_lock_killable(target->mm))
		return -EINTR;
	for (vma = find_vma(target->mm, 0); vma; vma = find_vma(target->mm, vma->vm_end))
		if (!object_step(&walk, &r->helper, vma, addr))
			break;
	mmap_read_unlock(target->mm);
	if (!walk.found)
		r->helper.ntexts = 0;
	return 0;
}

bool helper_is_again(const struct fasttrap_registration *r)
{
	const struct fasttrap_registration *other;

	lockdep_assert_registry();
	if (!r->helper.program)
		return false;
	list_for_each_entry(other, &r->process->registrations, all)
		if (other->helper.program && other->dof->dof->user == r->dof->dof->user)
			return true;
	return false;
}

/* ---- for the engine ---- */

/* NULL: there are none, or no memory, which is as if there were none. */
static struct fasttrap_helpers *helpers_collect(const struct fasttrap_process *process)
{
	const struct fasttrap_registration *r;
	struct fasttrap_helpers *new;

	if (!process->nhelpers)
		return NULL;
	new = kzalloc(struct_size(new, helpers.list, process->nhelpers), GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	list_for_each_entry(r, &process->registrations, all)
		if (r->helper.program && new->helpers.n < process->nhelpers)
			new->helpers.list[new->helpers.n++] = r->helper;
	return new;
}

void helpers_publish(struct fasttrap_process *process)
{
	struct fasttrap_helpers *new = helpers_collect(process);
	struct fasttrap_helpers *old = rcu_replace_pointer(process->helpers, new, registry_mine());

	lockdep_assert_registry();
	if (old)
		kfree_rcu(old, rcu);
}

const struct dtrace_helpers *fasttrap_helpers(const struct mm_struct *mm)
{
	const struct fasttrap_process *process = events_process_now(mm);
	const struct fasttrap_helpers *helpers;

	if (!process)
		return NULL;
	helpers = rcu_dereference_check(process->helpers, true);
	return helpers ? &helpers->helpers : NULL;
}
