// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * args.c - arguments of user probes: their types, and their values where a site says they are.
 *
 * Values are read in probe context: interrupts are off, and memory that is not resident reads as 0.
 */
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/fpu/types.h>

#include "impl.h"
#include "target.h"

/* ---- types ---- */

static const char *native_type(const struct dtrace_helper_probe *probe, unsigned int arg)
{
	return arg < probe->nargs && probe->nargv[arg] ? probe->nargv[arg] : "";
}

/* Return whether the probe has no declared types, and a site that gives argument n. */
static bool arg_untyped(const struct dtrace_helper_probe *probe, unsigned int n)
{
	unsigned int i;

	if (probe->nargs || probe->nxargs)
		return false;
	for (i = 0; i < probe->nsites; i++)
		if (n < probe->sites[i].nlocs)
			return true;
	return false;
}

/*
 * Describe args[n]: the arguments to which the provider's declaration maps, which may be none (":
 * ()"). It is made of argN, which is mapped too. Without a declaration there are as many arguments
 * as a site gives, and their types are empty [engine lock].
 */
bool fasttrap_getarg(void *arg, dtrace_probe_t *engine_probe, void *parg, unsigned int n,
		     struct dtrace_arg *out)
{
	const struct fasttrap_probe *ft = parg;
	const struct dtrace_helper_probe *probe = ft->desc;

	dtrace_engine_assert_locked();
	if (arg_untyped(probe, n))
		return true;
	if (n >= probe->nxargs)
		return false;
	out->type = native_type(probe, probe->map[n]);
	if (strcmp(probe->xargv[n], out->type))
		out->xlate = probe->xargv[n];
	return true;
}

/* ---- registers ---- */

static uint64_t arg_reg(const struct pt_regs *regs, unsigned int reg)
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

#define XMM_STORE(n)	case n: asm volatile("movdqu %%xmm" #n ", %0" : "=m" (*value)); break

/* Read the low half of a vector register that this CPU has loaded for the current thread. */
static void xmm_live(unsigned int reg, __uint128_t *value)
{
	switch (reg) {
	XMM_STORE(0); XMM_STORE(1); XMM_STORE(2); XMM_STORE(3);
	XMM_STORE(4); XMM_STORE(5); XMM_STORE(6); XMM_STORE(7);
	XMM_STORE(8); XMM_STORE(9); XMM_STORE(10); XMM_STORE(11);
	XMM_STORE(12); XMM_STORE(13); XMM_STORE(14); XMM_STORE(15);
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
static uint64_t arg_xmm(unsigned int reg)
{
	__uint128_t value = 0;

	if (reg > 15)
		return 0;
	if (test_thread_flag(TIF_NEED_FPU_LOAD))
		return xmm_saved(reg);
	xmm_live(reg, &value);
	return (uint64_t)value;
}

/* ---- values ---- */

static uint64_t arg_extend(uint64_t value, const dof_argloc_t *loc)
{
	bool sign = loc->al_flags & DOF_LOCF_SIGNED;

	switch (loc->al_size) {
	case 1:
		return sign ? (uint64_t)(int8_t)value : (uint8_t)value;
	case 2:
		return sign ? (uint64_t)(int16_t)value : (uint16_t)value;
	case 4:
		return sign ? (uint64_t)(int32_t)value : (uint32_t)value;
	default:
		return value;
	}
}

/* Read memory of the current process. What cannot be read without a page fault reads as 0. */
static uint64_t arg_load(uint64_t addr, unsigned int size)
{
	uint64_t value = 0;

	if (size > sizeof(value) || target_load_user(&value, addr, size))
		return 0;
	return value;
}

/* Return the base of the segment of thread-local variables. */
static uint64_t arg_thread_pointer(const struct pt_regs *regs)
{
	return user_64bit_mode((struct pt_regs *)regs) ? port_fs_base() : port_gs_base();
}

static uint64_t arg_address(const struct pt_regs *regs, const dof_argloc_t *loc)
{
	uint64_t addr = loc->al_disp;

	if (loc->al_base != DOF_REG_NONE)
		addr += arg_reg(regs, loc->al_base);
	if (loc->al_index != DOF_REG_NONE)
		addr += arg_reg(regs, loc->al_index) * loc->al_scale;
	if (loc->al_flags & DOF_LOCF_TLS)
		addr += arg_thread_pointer(regs);
	return user_64bit_mode((struct pt_regs *)regs) ? addr : (uint32_t)addr;
}

static uint64_t arg_located(const struct pt_regs *regs, const dof_argloc_t *loc)
{
	uint64_t value;

	switch (loc->al_kind) {
	case DOF_LOC_CONST:
		value = loc->al_disp;
		break;
	case DOF_LOC_REG:
		value = arg_reg(regs, loc->al_base);
		if (loc->al_flags & DOF_LOCF_HIGHBYTE)
			value >>= 8;
		break;
	case DOF_LOC_PAIR:
		value = arg_reg(regs, loc->al_index) << 32 | (uint32_t)arg_reg(regs, loc->al_base);
		break;
	case DOF_LOC_MEM:
		value = arg_load(arg_address(regs, loc), loc->al_size);
		break;
	case DOF_LOC_XMM:
		value = arg_xmm(loc->al_base);
		break;
	default:
		return 0;
	}
	return arg_extend(value, loc);
}

/*
 * Return an argument at its place in the calling convention. above: bytes at the top of the stack
 * that hold the return address.
 */
static uint64_t arg_by_convention(const struct pt_regs *regs, unsigned int argno,
				  unsigned int above)
{
	static const uint8_t order[] = {
		DOF_REG_DI, DOF_REG_SI, DOF_REG_DX, DOF_REG_CX, DOF_REG_R8, DOF_REG_R9
	};

	if (!user_64bit_mode((struct pt_regs *)regs))
		return arg_load((uint32_t)regs->sp + above + argno * 4, 4);
	if (argno < ARRAY_SIZE(order))
		return arg_reg(regs, order[array_index_nospec(argno, ARRAY_SIZE(order))]);
	return arg_load(regs->sp + above + (argno - ARRAY_SIZE(order)) * 8, 8);
}

/* The site replaces a call, or the call is still to be made: there is no return address. */
uint64_t fasttrap_arg_called(const struct pt_regs *regs, unsigned int argno)
{
	return argno < DTRACE_USDT_MAXARGS ? arg_by_convention(regs, argno, 0) : 0;
}

/* Return an argument at the first instruction of a function. */
static uint64_t arg_entered(const struct pt_regs *regs, unsigned int argno)
{
	return arg_by_convention(regs, argno, user_64bit_mode((struct pt_regs *)regs) ? 8 : 4);
}

/* fire->cookie is the site. Arguments with types are mapped, argN as well as args[N]. */
uint64_t fasttrap_getargval(void *arg, dtrace_probe_t *probe, void *parg,
			    const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	const struct fasttrap_probe *ft = parg;
	const struct fasttrap_site *site = fire->cookie;

	if (ft->desc->nargs) {
		if (argno >= ft->desc->nxargs)
			return 0;
		argno = ft->desc->map[array_index_nospec(argno, ft->desc->nxargs)];
	}
	if (site->group->kind == FASTTRAP_ENTRY)
		return arg_entered(fire->regs, argno);
	if (!site->desc->locs)
		return fasttrap_arg_called(fire->regs, argno);
	if (argno >= site->desc->nlocs)
		return 0;
	argno = array_index_nospec(argno, site->desc->nlocs);
	return arg_located(fire->regs, &site->desc->locs[argno]);
}
