/* SPDX-License-Identifier: MIT */
/*
 * kernel.h - types, variables and functions of the kernel and its modules, as programs name them.
 * Nothing is read before the first name is needed.
 */
#ifndef DT_KERNEL_H
#define DT_KERNEL_H

#include "compile.h"
#include "ktype.h"

#define KERNEL_BTF     "/sys/kernel/btf" /* a directory with a file per module */
#define KERNEL_VMLINUX "vmlinux"

/*
 * kernel_type - return the type of a class and name in a module, in any ("": the kernel's own
 * first), or among D's own ("D", "C"). NULL if there is none.
 */
const dt_type_t *kernel_type(dt_ctx_t *cx, const char *module, dt_ktype_class_t class,
			     const char *name);
/*
 * kernel_function - return the type of a function of a module. NULL if there is none, or if several
 * functions of the module have that name and different types.
 */
const dt_type_t *kernel_function(dt_ctx_t *cx, const char *module, const char *name);
/*
 * kernel_enumerator - find an enumerator as kernel_type() finds a type, and set *value and *type.
 * Return false if there is none.
 */
bool kernel_enumerator(dt_ctx_t *cx, const char *module, const char *name, int64_t *value,
		       const dt_type_t **type);
/* kernel_spell - try the names of a class that the kernel itself has, but not those of modules. */
void kernel_spell(dt_ctx_t *cx, dt_ktype_class_t class, dt_spell_t *n);
/* kernel_module - return the kernel's name of a module: vmlinux is known by other names too. */
const char *kernel_module(const char *name);
/*
 * kernel_why - return the end of a message: why types of the kernel cannot be read; "" if they can
 * be. The text is in the context's memory.
 */
const char *kernel_why(dt_ctx_t *cx);
/* kernel_hint - if types of the kernel cannot be read, set the hint to what to do. Return cx. */
dt_ctx_t *kernel_hint(dt_ctx_t *cx);
/*
 * kernel_need - report an error at loc in the world of processes: the program uses name, which
 * needs the kernel module. Do nothing in the kernel's world.
 */
void kernel_need(dt_ctx_t *cx, const dt_loc_t *loc, const char *name);
/* kernel_fini - free what was read. */
void kernel_fini(struct dt_compiler *comp);

/* ---- symbol.c: names with backquotes ---- */

/*
 * symbol_split - return the part of name behind its last backquote. Set *module to the part before
 * it, in the context's memory, or to NULL if there is no backquote.
 */
const char *symbol_split(dt_ctx_t *cx, const char *name, const char **module);
/* symbol_check - check a NODE_SYMBOL, and return the node of its value. */
dt_node_t *symbol_check(dt_ctx_t *cx, dt_node_t *n);
/* symbol_address - check a NODE_SYMBOL, and return the node of its address. */
dt_node_t *symbol_address(dt_ctx_t *cx, dt_node_t *n);
/*
 * symbol_array - return the inline whose uses the elements of NODE_SYMBOL n are. NULL: n is a
 * symbol of the kernel.
 */
dt_ident_t *symbol_array(dt_ctx_t *cx, const dt_node_t *n);

#endif
