/* SPDX-License-Identifier: MIT */
/* kernel_symbol.h - symbols of the kernel. (kernel_symbol.c) */
#ifndef DT_KERNEL_SYMBOL_H
#define DT_KERNEL_SYMBOL_H

#include "../handle.h"
#include "../spell.h"

/*
 * Set *module, *name and *off to those of a kernel address. Return false if it is not known. The
 * strings are valid until the handle closes.
 */
bool dt_kernel_symbol(dtrace_hdl_t *dtp, uint64_t addr, const char **module, const char **name,
		      uint64_t *off);
/*
 * Find the kernel symbol of a name in a module, or in any module for "". Set *addr, *inmodule
 * ("vmlinux": the kernel itself) and *is_code. Return false with errno: ENOENT, ENOMEM, or why the
 * file cannot be read.
 */
bool dt_kernel_symbol_find(dtrace_hdl_t *dtp, const char *module, const char *name, uint64_t *addr,
			   const char **inmodule, bool *is_code);
/*
 * Return the n-th other name, from 0, of the function of the kernel or of a module that has a name.
 * NULL: there are no more.
 */
const char *dt_kernel_symbol_alias(dtrace_hdl_t *dtp, const char *name, size_t n);
/* Try the names of all symbols of a module, or of all modules for "". */
void dt_kernel_symbol_spell(dtrace_hdl_t *dtp, const char *module, dt_spell_t *near);
/* Return "", or why no symbol of the kernel can be found: a constant text. */
const char *dt_kernel_symbols_why(dtrace_hdl_t *dtp);
/* Free all symbols. */
void dt_kernel_syms_fini(dtrace_hdl_t *dtp);

#endif
