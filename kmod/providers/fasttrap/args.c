// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * args.c - arguments of user probes: their types, and their values where a site says they are.
 *
 * Values are read in probe context: interrupts are off, and memory that is not resident reads as 0.
 */
#include "impl.h"
#include "arch/x86/args.h"

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

/* fire->cookie is the site. */
uint64_t fasttrap_getargval(void *arg, dtrace_probe_t *probe, void *parg,
			    const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	const struct fasttrap_probe *ft = parg;
	const struct fasttrap_site *site = fire->cookie;

	return args_value(ft->desc, site->desc, site->group->kind == FASTTRAP_ENTRY, fire->regs,
			  argno);
}
