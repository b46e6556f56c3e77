/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fbt_list.h - which functions the kernel and its modules have, and where ftrace can patch them.
 * The kernel's list has the functions too that ftrace cannot patch, but kprobes perhaps.
 *
 * All functions here may sleep, and take no lock of the engine.
 */
#ifndef DTRACE_PROVIDERS_FBT_LIST_H
#define DTRACE_PROVIDERS_FBT_LIST_H

#include <linux/types.h>

#include "fbt_btf.h"

struct module;

#define FBT_NONE UINT_MAX

struct fbt_function {
	u32 site;   /* offset from the list's base */
	u32 name;   /* offset in the list's names */
	u32 same;   /* the next function of the same name, or FBT_NONE */
	bool other; /* it is that of one before it, or has the name of one that ftrace can patch */
	bool told;  /* the kernel's types say how wide its value is */
	bool doubtful;	/* its site had a call or a breakpoint when the list was made */
	bool by_kprobe; /* ftrace cannot patch it: its site is where a kprobe may be */
	bool allowed;	/* the kernel allows that kprobe, as far as the provider has asked */
	bool patches;	/* the patching of text calls it for each site */
	struct fbt_width width;
};

struct fbt_list {
	unsigned long base;
	unsigned long text, text_end;	/* the kernel's code; 0: of a module */
	struct fbt_function *functions; /* by address */
	unsigned int n;
	char *names;
};

/*
 * fbt_list_kernel - make the list of the kernel's own functions, in order. Functions that
 * NOKPROBE_SYMBOL protects are left out. -ENOMEM. -ENOENT: the kernel has no symbols of
 * data (no CONFIG_KALLSYMS_ALL), so that these are not known. -EINTR: the caller is being killed.
 */
int fbt_list_kernel(struct fbt_list *list);
/*
 * fbt_list_module - make the list of those of a module's functions that ftrace can patch, in the
 * same way. The module must not be unloaded meanwhile. Code that is only used to load it is left
 * out. coming: the caller is loading the module; without that, the values of a module that is being
 * loaded have no widths.
 */
int fbt_list_module(struct fbt_list *list, struct module *mod, bool coming);
/* fbt_list_free - give the memory of a list back. */
void fbt_list_free(struct fbt_list *list);

static inline const char *fbt_list_name(const struct fbt_list *list, unsigned int n)
{
	return list->names + list->functions[n].name;
}

static inline unsigned long fbt_list_site(const struct fbt_list *list, unsigned int n)
{
	return list->base + list->functions[n].site;
}

#endif
