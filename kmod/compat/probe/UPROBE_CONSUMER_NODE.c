// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* UPROBE_CONSUMER_NODE.c - are a uprobe's consumers a list with a head? Since 6.12. */
#include <linux/uprobes.h>

struct list_head *probe(struct uprobe_consumer *uc);

struct list_head *probe(struct uprobe_consumer *uc)
{
	return &uc->cons_node;
}
