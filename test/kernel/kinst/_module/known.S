/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * known.S - a function whose instructions are known: long instructions_known(long a, long b) returns
 * a + b + 8. The instruction of BUG() at 15 is jumped over.
 */
#include <linux/linkage.h>

	.text
	.globl instructions_known
	.type instructions_known, @function
instructions_known:
	mov $7, %eax			/* 0 */
	add %rdi, %rax			/* 5 */
	lea 1(%rax, %rsi), %rax		/* 8 */
	jne 2f				/* 13: always */
1:	ud2				/* 15 */
2:	nop				/* 17 */
	RET				/* 18 */
	.size instructions_known, . - instructions_known
	.globl instructions_behind	/* the code after it is not a part of the function */
instructions_behind:

	.pushsection __bug_table, "aw"
3:	.long 1b - 3b
	.long 0
	.word 0, 0
	.popsection

	.section .note.GNU-stack, "", @progbits
