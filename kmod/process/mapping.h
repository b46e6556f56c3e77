/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * mapping.h - which mappings of a process may have breakpoints, and the file offset of an address
 * in them. The caller holds the process's mmap_lock. (mapping.c: how often a file is mapped)
 */
#ifndef DTRACE_PROCESS_MAPPING_H
#define DTRACE_PROCESS_MAPPING_H

#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>

/* Return whether the mapping is private code of a file. vma may be NULL, and then is none. */
static inline bool mapping_is_code(const struct vm_area_struct *vma)
{
	return vma && vma->vm_file &&
	       (vma->vm_flags & (VM_EXEC | VM_MAYSHARE | VM_HUGETLB)) == VM_EXEC;
}

/*
 * Return whether a user's program serves the mapped file (FUSE). Reading such a file may take as
 * long as that program likes, and would delay the forks of all processes.
 */
static inline bool mapping_is_served(const struct vm_area_struct *vma)
{
	return file_inode(vma->vm_file)->i_sb->s_magic == FUSE_SUPER_MAGIC;
}

/* Return the file offset of an address in the mapping. */
static inline loff_t mapping_offset(const struct vm_area_struct *vma, uint64_t addr)
{
	return addr - vma->vm_start + ((loff_t)vma->vm_pgoff << PAGE_SHIFT);
}

struct seq_file;

#define MAPPING_LOOK (2 * HZ) /* jiffies until one looks again at a location that is crowded */

/*
 * Return whether a location in a file is mapped so often, by any processes, that only users without
 * limits may set a breakpoint there, or remove one. The caller holds no lock, and the inode. May
 * sleep.
 */
bool mapping_is_crowded(const struct inode *inode, loff_t offset);
/* From now on no location is crowded: the module ends. */
void mapping_end(void);
/* Add n to the number of breakpoints that stay because their locations are crowded. */
void mapping_count_stays(int n);
/* Print that number as a row of /proc/dtrace/stats. */
void mapping_stats_show(struct seq_file *seq);

#endif
