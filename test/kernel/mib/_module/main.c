// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* main.c - a kernel module with the instructions of last.S. */
#include <linux/module.h>

MODULE_DESCRIPTION("An instruction that could change a counter, at the end of a module");
MODULE_LICENSE("Dual MIT/GPL");
