/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * mapping.h - which mappings of a process may have breakpoints, and where in the file an
 * address of theirs is. With the process's mmap_lock.
 */
#ifndef DTRACE_PROVIDERS_FASTTRAP_MAPPING_H
#define DTRACE_PROVIDERS_FASTTRAP_MAPPING_H

#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>

/* mapping_is_code - is it code of a file, mapped privately? vma may be NULL: no. */
static inline bool mapping_is_code(const struct vm_area_struct *vma)
{
	return vma && vma->vm_file &&
	       (vma->vm_flags & (VM_EXEC | VM_MAYSHARE | VM_HUGETLB)) == VM_EXEC;
}

/*
 * mapping_is_served - is a program of a user behind its file (FUSE)? Then reading it may take as
 * long as that likes, which would hold up everybody else's forks.
 */
static inline bool mapping_is_served(const struct vm_area_struct *vma)
{
	return file_inode(vma->vm_file)->i_sb->s_magic == FUSE_SUPER_MAGIC;
}

/* mapping_offset - the offset in the file of an address in it. */
static inline loff_t mapping_offset(const struct vm_area_struct *vma, uint64_t addr)
{
	return addr - vma->vm_start + ((loff_t)vma->vm_pgoff << PAGE_SHIFT);
}

#endif
