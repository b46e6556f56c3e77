// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* UPROBE_FILTER_CONTEXT.c - does a uprobe's filter get the reason of its call? Until 6.11. */
#include <linux/uprobes.h>

static bool filter(struct uprobe_consumer *uc, enum uprobe_filter_ctx context, struct mm_struct *mm)
{
	return !uc || !mm || context;
}

struct uprobe_consumer probe;
struct uprobe_consumer probe = {.filter = filter};
