// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* UPROBE_HANDLER_DATA.c - is a uprobe's handler given a word of its own? Since 6.13. */
#include <linux/uprobes.h>

static int handler(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *data)
{
	return !uc || !regs || !data;
}

struct uprobe_consumer probe;
struct uprobe_consumer probe = {.handler = handler};
