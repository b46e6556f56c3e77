// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stack.c - part of the engine's port: stacks and registers of the kernel and of the current
 * process, in probe context.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/msr.h>
#include <asm/unwind.h>

#include "port.h"

/* The kernel's stack from here, or from regs; frames of this module at its top are left out. */
static unsigned int stack_kernel(uint64_t *pcs, unsigned int n, struct pt_regs *regs)
{
	struct unwind_state state;
	unsigned int found = 0;
	unsigned long pc;

	if (regs && n)		/* the unwinder begins with whoever called what was interrupted */
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

unsigned int port_stack(uint64_t *pcs, unsigned int n, const void *regs)
{
	if (regs && user_mode((struct pt_regs *)regs))
		/* user code was running: the kernel's stack is only how we got here */
		return 0;
	return stack_kernel(pcs, n, (struct pt_regs *)regs);
}

/* The registers that the current process has, or will have, in user mode. */
static const struct pt_regs *stack_user_regs(const void *regs)
{
	if (regs && user_mode((struct pt_regs *)regs))
		return regs;
	return task_pt_regs(current);
}

#define STACK_NO_FRAME	UINT64_MAX

/* The frame at fp: where the caller's is and the address of return; 0 or -EFAULT. */
static int stack_frame(uint64_t fp, bool wide, uint64_t *next, uint64_t *pc)
{
	uint64_t two[2];
	uint32_t half[2];

	if (wide) {
		if (port_load_user(two, fp, sizeof(two)))
			return -EFAULT;
	} else {
		if (port_load_user(half, fp, sizeof(half)))
			return -EFAULT;
		two[0] = half[0];
		two[1] = half[1];
	}
	*next = two[0];
	*pc = two[1];
	return 0;
}

/*
 * By frame pointers: user code built without them gives short stacks. A frame must lie above the
 * stack pointer and the one before, so that a damaged stack cannot lead in circles, nor a register
 * that is used for something else anywhere.
 */
int port_ustack(uint64_t *pcs, uint64_t *fps, unsigned int n, const void *arg)
{
	const struct pt_regs *regs = stack_user_regs(arg);
	unsigned int found = 0;
	uint64_t fp, next, pc;
	bool wide;

	if (!current->mm || (current->flags & PF_KTHREAD))
		return -EFAULT;
	wide = user_64bit_mode((struct pt_regs *)regs);
	pc = instruction_pointer((struct pt_regs *)regs);
	fp = frame_pointer((struct pt_regs *)regs);
	if (fp < user_stack_pointer((struct pt_regs *)regs))
		fp = STACK_NO_FRAME;
	while (found < n && pc) {
		if (fps)
			fps[found] = fp == STACK_NO_FRAME ? 0 : fp;
		pcs[found++] = pc;
		if (fp == STACK_NO_FRAME || stack_frame(fp, wide, &next, &pc))
			break;
		/* the outermost: its return address still counts */
		fp = next > fp ? next : STACK_NO_FRAME;
	}
	return found;
}

/* The kernel leaves the user's fs base in place, and keeps the gs base beside its own. */
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

/* Registers from fs_base on are not in pt_regs. */
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

int port_reg(uint64_t *value, unsigned int reg, const void *arg)
{
	const unsigned long *words = (const unsigned long *)stack_user_regs(arg);

	if (!current->mm || (current->flags & PF_KTHREAD))
		return -EINVAL;
	if (reg >= sizeof(struct pt_regs) / sizeof(*words))
		return stack_segment(value, reg);
	*value = words[reg];	/* pt_regs begins as ptrace's user_regs_struct does */
	return 0;
}
