// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* symbol.c - what the kernel has by a name: it looks that up for kprobes. */
#include <linux/kprobes.h>

#include "function.h"
#include "site.h"
#include "symbol.h"

/* An instruction that marks where an indirect jump may lead, which ftrace's site may follow. */
#define ENDBR_SIZE 4

/*
 * The kernel refuses a kprobe at a variable, and in functions of its exception handling, which
 * ftrace can patch nevertheless, after it has set the address.
 */
unsigned long symbol_address(const char *name)
{
	struct kprobe kp = {.symbol_name = name};

	if (!site_try(&kp))
		unregister_kprobe(&kp);
	return (unsigned long)kp.addr;
}

unsigned long symbol_function_site(const char *name)
{
	unsigned long site = symbol_address(name);

	if (!site || function_hook_filter(&site, 1, false) == 1)
		return site;
	site += ENDBR_SIZE;
	return function_hook_filter(&site, 1, false) == 1 ? site : 0;
}
