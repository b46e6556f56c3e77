// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * args.c - arguments of calls and of probe sites in user programs, from registers and memory.
 *
 * Interrupts are off where vector registers are read.
 */
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/fpu/types.h>

#include "engine.h"
#include "target.h"
#include "args.h"

/* ---- registers ---- */

static uint64_t usdt_reg(const void *regs, unsigned int reg)
{
	static const unsigned short offsets[] = {
		[DOF_REG_AX] = offsetof(struct pt_regs, ax),
		[DOF_REG_CX] = offsetof(struct pt_regs, cx),
		[DOF_REG_DX] = offsetof(struct pt_regs, dx),
		[DOF_REG_BX] = offsetof(struct pt_regs, bx),
		[DOF_REG_SP] = offsetof(struct pt_regs, sp),
		[DOF_REG_BP] = offsetof(struct pt_regs, bp),
		[DOF_REG_SI] = offsetof(struct pt_regs, si),
		[DOF_REG_DI] = offsetof(struct pt_regs, di),
		[DOF_REG_R8] = offsetof(struct pt_regs, r8),
		[DOF_REG_R9] = offsetof(struct pt_regs, r9),
		[DOF_REG_R10] = offsetof(struct pt_regs, r10),
		[DOF_REG_R11] = offsetof(struct pt_regs, r11),
		[DOF_REG_R12] = offsetof(struct pt_regs, r12),
		[DOF_REG_R13] = offsetof(struct pt_regs, r13),
		[DOF_REG_R14] = offsetof(struct pt_regs, r14),
		[DOF_REG_R15] = offsetof(struct pt_regs, r15),
	};

	if (reg >= ARRAY_SIZE(offsets))
		return 0;
	return *(const unsigned long *)((const char *)regs + offsets[reg]);
}

#define XMM_STORE(n)                                                   \
	case n:                                                        \
		asm volatile("movdqu %%xmm" #n ", %0" : "=m"(*value)); \
		break

/* Read the low half of a vector register that this CPU has loaded for the current thread. */
static void xmm_live(unsigned int reg, __uint128_t *value)
{
	switch (reg) {
		XMM_STORE(0);
		XMM_STORE(1);
		XMM_STORE(2);
		XMM_STORE(3);
		XMM_STORE(4);
		XMM_STORE(5);
		XMM_STORE(6);
		XMM_STORE(7);
		XMM_STORE(8);
		XMM_STORE(9);
		XMM_STORE(10);
		XMM_STORE(11);
		XMM_STORE(12);
		XMM_STORE(13);
		XMM_STORE(14);
		XMM_STORE(15);
	}
}

/*
 * Read it where the thread has saved it. A state component that is not in use is not written, and
 * means 0.
 */
static uint64_t xmm_saved(unsigned int reg)
{
	const struct fpstate *state = current->thread.fpu.fpstate;
	uint64_t value;

	if (boot_cpu_has(X86_FEATURE_XSAVE) &&
	    !(state->regs.xsave.header.xfeatures & XFEATURE_MASK_SSE))
		return 0;
	memcpy(&value, &state->regs.fxsave.xmm_space[reg * 4], sizeof(value));
	return value;
}

/* Read a vector register. Interrupts are off, so the registers stay those of the current thread. */
static uint64_t usdt_xmm(unsigned int reg)
{
	__uint128_t value = 0;

	if (test_thread_flag(TIF_NEED_FPU_LOAD))
		return xmm_saved(reg);
	xmm_live(reg, &value);
	return (uint64_t)value;
}

static bool usdt_is_64bit(const void *regs)
{
	return user_64bit_mode((struct pt_regs *)regs);
}

static uint64_t usdt_thread_pointer(const void *regs)
{
	return usdt_is_64bit(regs) ? port_fs_base() : port_gs_base();
}

#include "usdt_args.h"

/* ---- values ---- */

/* The site replaces a call, or the call is still to be made: there is no return address. */
uint64_t args_call_arg(const struct pt_regs *regs, unsigned int argno)
{
	return usdt_call_arg(regs, argno);
}

uint64_t args_value(const struct dtrace_helper_probe *probe, const struct dtrace_helper_site *site,
		    bool entry, const struct pt_regs *regs, unsigned int argno)
{
	return usdt_argument(probe, site, entry, regs, argno);
}
