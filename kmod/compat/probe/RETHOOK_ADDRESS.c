// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* RETHOOK_ADDRESS.c - is a rethook's handler given the address of return? Since 6.5. */
#include <linux/rethook.h>

void handler(struct rethook_node *node, void *data, unsigned long to, struct pt_regs *regs);
extern rethook_handler_t probe;
rethook_handler_t probe = handler;
