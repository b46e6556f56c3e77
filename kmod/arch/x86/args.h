/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * args.h - arguments of calls and of probe sites in user programs.
 *
 * Both functions may be called in probe context. They read the current thread's registers and
 * memory. Memory that is not resident reads as 0.
 */
#ifndef DTRACE_ARCH_X86_ARGS_H
#define DTRACE_ARCH_X86_ARGS_H

#include <linux/types.h>

struct dtrace_helper_probe;
struct dtrace_helper_site;
struct pt_regs;

/*
 * args_call_arg - return argument argno of the function that current is about to call, with these
 * registers.
 */
uint64_t args_call_arg(const struct pt_regs *regs, unsigned int argno);
/*
 * args_value - return argument argno of a probe at a site, which current has reached with these
 * registers; 0 if the site has no such argument. entry: the site is the first instruction of a
 * function. Interrupts are off.
 */
uint64_t args_value(const struct dtrace_helper_probe *probe, const struct dtrace_helper_site *site,
		    bool entry, const struct pt_regs *regs, unsigned int argno);

#endif
