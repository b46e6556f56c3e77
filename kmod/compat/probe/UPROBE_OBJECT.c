// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * UPROBE_OBJECT.c - does uprobe_register return an object, to be unregistered in two steps? Since
 * 6.12.
 */
#include <linux/uprobes.h>

struct uprobe *probe(struct inode *inode, struct uprobe_consumer *uc);

struct uprobe *probe(struct inode *inode, struct uprobe_consumer *uc)
{
	struct uprobe *uprobe = uprobe_register(inode, 0, 0, uc);

	uprobe_unregister_nosync(uprobe, uc);
	uprobe_unregister_sync();
	return uprobe;
}
