// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * UPROBE_HANDLER_IP.c - may a uprobe's handler carry out the instruction by itself, and set the
 * program counter behind it? Since 6.18; and in stable series, from the releases on where it was
 * found to work: with earlier ones the instruction is carried out twice.
 */
#include <linux/version.h>

#define SINCE(major, minor, release)                                    \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, release) && \
	 LINUX_VERSION_CODE < KERNEL_VERSION(major, (minor) + 1, 0))

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0) && !SINCE(6, 1, 192) && !SINCE(6, 12, 117)
#error "it may not"
#endif
