/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * usdt_args.h - values of the arguments of user probes, where a site says that they are.
 *
 * Code that fires such probes includes this file after it has defined, as inline functions or
 * macros:
 *
 *	usdt_reg(regs, reg)	the register DOF_REG_* of the interrupted code; 0 if there is none
 *	usdt_xmm(reg)		the low 8 bytes of vector register 0 to 15 of the current thread
 *	usdt_thread_pointer(regs)	the base of the segment of thread-local variables
 *	usdt_is_64bit(regs)	whether the interrupted code is 64-bit
 *
 * All functions are for probe context. Memory that cannot be read without a page fault reads as 0.
 */
#ifndef DTRACE_ENGINE_USDT_ARGS_H
#define DTRACE_ENGINE_USDT_ARGS_H

#include "engine.h"
#include "target.h"

/* Return a value extended from its size, as its operand says. */
static inline uint64_t usdt_extend(uint64_t value, const dof_argloc_t *loc)
{
	bool sign = loc->al_flags & DOF_LOCF_SIGNED;

	if (port_likely(loc->al_size == sizeof(value)))
		return value;
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

/* Return size bytes at an address of the current process, at most 8. */
static inline uint64_t usdt_load(uint64_t addr, unsigned int size)
{
	uint64_t value = 0;

	if (size > sizeof(value) || target_load_user(&value, addr, size))
		return 0;
	return value;
}

/* Return the address of an operand in memory. */
static inline uint64_t usdt_address(const void *regs, const dof_argloc_t *loc)
{
	uint64_t addr = (uint64_t)loc->al_disp;

	if (loc->al_base != DOF_REG_NONE)
		addr += usdt_reg(regs, loc->al_base);
	if (loc->al_index != DOF_REG_NONE)
		addr += usdt_reg(regs, loc->al_index) * loc->al_scale;
	if (loc->al_flags & DOF_LOCF_TLS)
		addr += usdt_thread_pointer(regs);
	return usdt_is_64bit(regs) ? addr : (uint32_t)addr;
}

/* Return the value of an operand in a register. */
static inline uint64_t usdt_in_register(const void *regs, const dof_argloc_t *loc)
{
	uint64_t value = usdt_reg(regs, loc->al_base);

	return usdt_extend(loc->al_flags & DOF_LOCF_HIGHBYTE ? value >> 8 : value, loc);
}

/* Return the value of an operand. */
static inline uint64_t usdt_located(const void *regs, const dof_argloc_t *loc)
{
	uint64_t value;

	if (port_likely(loc->al_kind == DOF_LOC_REG))
		return usdt_in_register(regs, loc);
	switch (loc->al_kind) {
	case DOF_LOC_CONST:
		value = (uint64_t)loc->al_disp;
		break;
	case DOF_LOC_PAIR:
		value = usdt_reg(regs, loc->al_index) << 32 |
			(uint32_t)usdt_reg(regs, loc->al_base);
		break;
	case DOF_LOC_MEM:
		value = usdt_load(usdt_address(regs, loc), loc->al_size);
		break;
	case DOF_LOC_XMM:
		value = loc->al_base > 15 ? 0 : usdt_xmm(loc->al_base);
		break;
	default:
		return 0;
	}
	return usdt_extend(value, loc);
}

/*
 * Return an argument by the calling convention. above: bytes at the top of the stack
 * that hold the return address.
 */
static inline uint64_t usdt_by_convention(const void *regs, unsigned int argno, unsigned int above)
{
	static const uint8_t order[] = {DOF_REG_DI, DOF_REG_SI, DOF_REG_DX,
					DOF_REG_CX, DOF_REG_R8, DOF_REG_R9};
	const unsigned int n = sizeof(order);
	uint64_t sp = usdt_reg(regs, DOF_REG_SP);

	if (!usdt_is_64bit(regs))
		return usdt_load((uint32_t)(sp + above + argno * 4), 4);
	if (argno < n)
		return usdt_reg(regs, order[port_nospec(argno, n)]);
	return usdt_load(sp + above + (argno - n) * 8, 8);
}

/* Return an argument of a site that replaces a call: there is no return address. */
static inline uint64_t usdt_call_arg(const void *regs, unsigned int argno)
{
	return argno < DTRACE_USDT_MAXARGS ? usdt_by_convention(regs, argno, 0) : 0;
}

/* Return an argument at the first instruction of a function. */
static inline uint64_t usdt_entry_arg(const void *regs, unsigned int argno)
{
	return usdt_by_convention(regs, argno, usdt_is_64bit(regs) ? 8 : 4);
}

/*
 * Return an argument at a site. entry: the site is the first instruction of a function. Arguments
 * with types are mapped, argN as well as args[N].
 */
static inline uint64_t usdt_argument(const struct dtrace_helper_probe *probe,
				     const struct dtrace_helper_site *site, bool entry,
				     const void *regs, unsigned int argno)
{
	if (probe->nargs) {
		if (argno >= probe->nxargs)
			return 0;
		argno = probe->map[port_nospec(argno, (unsigned int)probe->nxargs)];
	}
	if (entry)
		return usdt_entry_arg(regs, argno);
	if (!site->locs)
		return usdt_call_arg(regs, argno);
	if (argno >= site->nlocs)
		return 0;
	argno = port_nospec(argno, (unsigned int)site->nlocs);
	return usdt_located(regs, &site->locs[argno]);
}

#endif
