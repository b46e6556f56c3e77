/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* memory.h - which addresses of the kernel are memory, and which are devices. */
#ifndef DTRACE_ARCH_X86_MEMORY_H
#define DTRACE_ARCH_X86_MEMORY_H

#include <linux/types.h>

/*
 * memory_is_plain - return whether none of n bytes at addr can be a register or memory of a device,
 * or belong to firmware. What is not mapped may be plain: a load there fails. Takes no lock.
 */
bool memory_is_plain(unsigned long addr, size_t n);

#endif
