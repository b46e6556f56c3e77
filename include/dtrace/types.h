/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* types.h - fixed-size integers for headers that the kernel and programs share. */
#ifndef DTRACE_TYPES_H
#define DTRACE_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#include <stddef.h>
#endif

#endif
