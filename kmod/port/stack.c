// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stack.c - stacks and registers of the kernel and of the current process, in probe context.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/msr.h>
#include <asm/unwind.h>

#include "engine.h"
#include "target.h"
#include "thread.h"
#include "unwind.h"

/*
 * Write at most n addresses of the kernel's stack, from regs on, or from here without the frames of
 * this module at its top. Return their number.
 */
static unsigned int stack_kernel(uint64_t *pcs, unsigned int n, struct pt_regs *regs)
{
	struct unwind_state state;
	unsigned int found = 0;
	unsigned long pc;

	if (regs && n) /* the unwinder begins with the caller of the interrupted code */
		pcs[found++] = instruction_pointer(regs);
	for (unwind_start(&state, current, regs, NULL); !unwind_done(&state) && found < n;
	     unwind_next_frame(&state)) {
		pc = unwind_get_return_address(&state);
		if (!pc)
			break;
		if (found || !within_module(pc, THIS_MODULE))
			pcs[found++] = pc;
	}
	return found;
}

unsigned int target_stack(uint64_t *pcs, unsigned int n, const void *regs)
{
	/* In user code, the kernel's stack has only the way to this function. */
	if (regs && user_mode((struct pt_regs *)regs))
		return 0;
	return stack_kernel(pcs, n, (struct pt_regs *)regs);
}

/* Return the registers of the current thread in user mode, to which the kernel will return. */
static const struct pt_regs *stack_user_regs(const void *regs)
{
	if (regs && user_mode((struct pt_regs *)regs))
		return regs;
	return task_pt_regs(current);
}

/* Translate registers to the numbers of DWARF. */
static void stack_unwind_regs(struct dtrace_unwind_regs *to, const struct pt_regs *regs)
{
	*to = (struct dtrace_unwind_regs){
		.pc = regs->ip,
		.regs = {regs->ax, regs->dx, regs->cx, regs->bx, regs->si, regs->di, regs->bp,
			 regs->sp, regs->r8, regs->r9, regs->r10, regs->r11, regs->r12, regs->r13,
			 regs->r14, regs->r15},
		.word = user_64bit_mode((struct pt_regs *)regs) ? 8 : 4,
	};
}

int target_ustack(uint64_t *pcs, uint64_t *fps, unsigned int n, const void *arg, unsigned int how)
{
	const struct dtrace_unwind_maps *maps;
	struct dtrace_unwind_regs regs;
	unsigned int found;
	bool stray, tables = how & TARGET_USTACK_TABLES;

	if (!thread_is_user())
		return -EFAULT;
	stack_unwind_regs(&regs, stack_user_regs(arg));
	regs.no_frame = how & TARGET_USTACK_NO_FRAME;
	maps = tables ? unwind_maps(current->mm) : NULL;
	found = dtrace_unwind(maps, &regs, pcs, fps, n, &stray);
	if (tables && stray)
		unwind_note_missing();
	return found;
}

/* In the kernel, the fs base is still that of user code, and its gs base is in another register. */
uint64_t port_fs_base(void)
{
	uint64_t base;

	rdmsrl(MSR_FS_BASE, base);
	return base;
}

uint64_t port_gs_base(void)
{
	uint64_t base;

	rdmsrl(MSR_KERNEL_GS_BASE, base);
	return base;
}

/* Read fs_base or gs_base, which pt_regs lacks. 0, or -EINVAL for other registers. */
static int stack_segment(uint64_t *value, unsigned int reg)
{
	switch (reg) {
	case 21:
		*value = port_fs_base();
		return 0;
	case 22:
		*value = port_gs_base();
		return 0;
	default:
		return -EINVAL;
	}
}

int target_reg(uint64_t *value, unsigned int reg, const void *arg)
{
	const unsigned long *words = (const unsigned long *)stack_user_regs(arg);

	if (!thread_is_user())
		return -EINVAL;
	if (reg >= sizeof(struct pt_regs) / sizeof(*words))
		return stack_segment(value, reg);
	reg = array_index_nospec(reg, sizeof(struct pt_regs) / sizeof(*words));
	*value = words[reg]; /* pt_regs begins as ptrace's user_regs_struct does */
	return 0;
}

int target_kernel_reg(uint64_t *value, unsigned int reg, const void *arg)
{
	const unsigned long *words = arg;

	if (reg >= sizeof(struct pt_regs) / sizeof(*words))
		return -EINVAL;
	*value = words[array_index_nospec(reg, sizeof(struct pt_regs) / sizeof(*words))];
	return 0;
}
