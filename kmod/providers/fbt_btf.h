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

/*
 * fbt_btf_returns - call tell with the name of each function in the BTF at data (size bytes), and
 * how wide its value is. -EINVAL: it is no BTF that this knows. -ENOMEM. May sleep.
 */
int fbt_btf_returns(const void *data, size_t size,
		    void (*tell)(void *arg, const char *name, struct fbt_width width), void *arg);

#endif
