/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* rethook.h - the handler of a rethook, declared in one shape for all releases. */
#ifndef DTRACE_COMPAT_RETHOOK_H
#define DTRACE_COMPAT_RETHOOK_H

#include <linux/rethook.h>

/* 6.5 gave handlers the address of return. */
#ifdef COMPAT_RETHOOK_ADDRESS
#define COMPAT_RETHOOK_HANDLER(name, node, regs)                                         \
	void name(struct rethook_node *node, void *compat_data, unsigned long compat_to, \
		  struct pt_regs *regs)
#else
#define COMPAT_RETHOOK_HANDLER(name, node, regs) \
	void name(struct rethook_node *node, void *compat_data, struct pt_regs *regs)
#endif
#endif
