/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* last.S - the last function of the module: the kernel counts the padding as part of it. */
#include <linux/linkage.h>

	.text
	.globl instructions_last
	.type instructions_last, @function
instructions_last:
	mov $7, %eax
	RET
	.size instructions_last, . - instructions_last

	.section .note.GNU-stack, "", @progbits
