/* SPDX-License-Identifier: MIT */
/* ptrace.h - a thread's registers by the kernel's names, for parts of the module in user land. */
#ifndef ASM_PTRACE_H
#define ASM_PTRACE_H

#include <stdbool.h>

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip,
		cs, flags, sp, ss;
};

#endif
