// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * mapping.c - how often a location in a file is mapped.
 *
 * Uprobes goes through all mappings of a breakpoint's location, whoever has made them, and all
 * forks on the machine wait meanwhile. A process can map one page tens of thousands of times. So
 * ordinary users may set no breakpoints at locations that are mapped too often. If a location is
 * mapped too often when their breakpoints there are to be removed, they stay until there are fewer
 * mappings: uprobe.c of fasttrap and stop_point.c look again now and then.
 */
#include <linux/fs.h>
#include <linux/interval_tree_generic.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>

#include "mapping.h"
#include "stats.h"

static bool mapping_ended;
static atomic64_t mapping_stays; /* breakpoints that stay */

/* Written at any time. */
static unsigned int mapping_user_max = 8192;
module_param_named(user_mappings, mapping_user_max, uint, 0644);
MODULE_PARM_DESC(
	user_mappings,
	"mappings of a location in a file, by all processes, with which users may set breakpoints there");

static inline unsigned long mapping_first_page(const struct vm_area_struct *vma)
{
	return vma->vm_pgoff;
}

static inline unsigned long mapping_last_page(const struct vm_area_struct *vma)
{
	return vma->vm_pgoff + ((vma->vm_end - vma->vm_start) >> PAGE_SHIFT) - 1;
}

/* The kernel exports no functions for its tree of a file's mappings. */
INTERVAL_TREE_DEFINE(struct vm_area_struct, shared.rb, unsigned long, shared.rb_subtree_last,
		     mapping_first_page, mapping_last_page, static inline __maybe_unused,
		     mapping_tree)

bool mapping_is_crowded(const struct inode *inode, loff_t offset)
{
	struct address_space *file = inode->i_mapping;
	unsigned long page = offset >> PAGE_SHIFT;
	unsigned int n = 0, max = READ_ONCE(mapping_user_max);
	struct vm_area_struct *vma;

	i_mmap_lock_read(file);
	for (vma = mapping_tree_iter_first(&file->i_mmap, page, page); vma && n <= max;
	     vma = mapping_tree_iter_next(vma, page, page))
		n++;
	i_mmap_unlock_read(file);
	return n > max && !READ_ONCE(mapping_ended);
}

void mapping_end(void)
{
	WRITE_ONCE(mapping_ended, true);
}

void mapping_count_stays(int n)
{
	atomic64_add(n, &mapping_stays);
}

void mapping_stats_show(struct seq_file *seq)
{
	stats_row(seq, "crowded", atomic64_read(&mapping_stays),
		  "breakpoints without use that stay until their files are mapped less often");
}
