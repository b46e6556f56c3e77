/* SPDX-License-Identifier: MIT */
/* kernel_symbol.h - symbols of the kernel. (kernel_symbol.c) */
#ifndef DT_KERNEL_SYMBOL_H
#define DT_KERNEL_SYMBOL_H

#include "../handle.h"
#include "../spell.h"

/* dt_kernel_symbol - module, name and offset of a kernel address; false if it is not known. */
bool dt_kernel_symbol(dtrace_hdl_t *dtp, uint64_t addr, const char **module, const char **name,
		      uint64_t *off);
void dt_kernel_syms_fini(dtrace_hdl_t *dtp);
/*
 * dt_kernel_symbol_find - address and module ("vmlinux": the kernel itself) of the kernel symbol of
 * that name in a module, or in any (""); is it code? false with errno if there is none (ENOENT) or
 * no memory.
 */
bool dt_kernel_symbol_find(dtrace_hdl_t *dtp, const char *module, const char *name, uint64_t *addr,
			   const char **inmodule, bool *is_code);
/* dt_kernel_symbol_spell - have the symbols of a module, or of all (""), tried. */
void dt_kernel_symbol_spell(dtrace_hdl_t *dtp, const char *module, dt_spell_t *near);
/* dt_kernel_symbols_why - "", or why no symbol of the kernel can be found. */
const char *dt_kernel_symbols_why(dtrace_hdl_t *dtp);

#endif
