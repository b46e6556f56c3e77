// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * args.c - arguments of user probes: their types, and their values where a site says they are.
 *
 * Values are read in probe context: interrupts are off, and memory that is not resident reads as 0.
 */
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/fpu/types.h>

#include "impl.h"
#include "target.h"

/*
 * Describe args[n] [engine lock]. Without a declaration there are as many arguments as a site gives,
 * and their types are empty.
 */
bool fasttrap_getarg(void *arg, dtrace_probe_t *engine_probe, void *parg, unsigned int n,
		     struct dtrace_arg *out)
{
	const struct fasttrap_probe *ft = parg;

	dtrace_engine_assert_locked();
	return dtrace_helper_getarg(ft->desc, n, out);
}

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

/* Interrupts are off, so the registers stay those of the current thread. */
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
uint64_t fasttrap_arg_called(const struct pt_regs *regs, unsigned int argno)
{
	return usdt_called(regs, argno);
}

/* fire->cookie is the site. */
uint64_t fasttrap_getargval(void *arg, dtrace_probe_t *probe, void *parg,
			    const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	const struct fasttrap_probe *ft = parg;
	const struct fasttrap_site *site = fire->cookie;

	return usdt_argument(ft->desc, site->desc, site->group->kind == FASTTRAP_ENTRY, fire->regs,
			     argno);
}
