/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* module_text.h - where the code of a module lies, without that of its init. */
#ifndef DTRACE_COMPAT_MODULE_TEXT_H
#define DTRACE_COMPAT_MODULE_TEXT_H

#include <linux/module.h>

/* compat_module_text - return the address of a module's code, and its size in bytes in *size. */
static inline unsigned long compat_module_text(const struct module *module, unsigned long *size)
{
#ifdef COMPAT_MODULE_MEMORY
	*size = module->mem[MOD_TEXT].size;
	return (unsigned long)module->mem[MOD_TEXT].base;
#else
	*size = module->core_layout.text_size;
	return (unsigned long)module->core_layout.base;
#endif
}

#endif
