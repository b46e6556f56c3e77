/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * last.S - the last function of the module, which changes what looks like the counter of pings that
 * a network namespace has received. The kernel counts the padding behind the function as part of
 * it: zeros, which are instructions of two bytes. Their number is odd.
 */
#include <linux/linkage.h>

	.text
	.p2align 4
	.globl counting_last
	.type counting_last, @function
counting_last:
	lock incq 64(%rdi)
	RET
	.p2align 1
	int3
	.size counting_last, . - counting_last

	.section .note.GNU-stack, "", @progbits
