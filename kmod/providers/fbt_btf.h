/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* fbt_btf.h - what the kernel's type information says of the values that functions return. */
#ifndef DTRACE_PROVIDERS_FBT_BTF_H
#define DTRACE_PROVIDERS_FBT_BTF_H

#include <linux/types.h>

/* How wide an integer is, in bytes; 0: it takes a whole register, or is not known. */
struct fbt_width {
	u8 bytes;
	bool is_signed;
};

/* Type information: that of the kernel, or of a module, which continues that of the kernel. */
struct fbt_btf {
	const void *data; /* NULL: there is none */
	size_t size;
};

/*
 * fbt_btf_copy - set *btf to a copy of the types of a module, which the caller holds: kvfree() it.
 * data stays NULL if there are none. May sleep.
 */
void fbt_btf_copy(struct fbt_btf *btf, const char *module);

/*
 * fbt_btf_returns - call tell with the name of each function in btf, and how wide its value is.
 * base: what btf continues, or NULL. -EINVAL: it is no BTF that this knows. -ENOMEM. May sleep.
 */
int fbt_btf_returns(const struct fbt_btf *btf, const struct fbt_btf *base,
		    void (*tell)(void *arg, const char *name, struct fbt_width width), void *arg);

#endif
