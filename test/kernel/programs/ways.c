/* SPDX-License-Identifier: MIT */
/*
 * ways.c - functions with jumps that do not leave them, though their targets are not known, or have
 * no name: .eh_frame shows that they still have their frames.
 */
#include <stdio.h>

int ways_goto(int x);
int ways_tail(int x);
int ways_cold(int x);

#define FUNCTION(name) ".globl " #name "\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n"
#define END(name)      ".cfi_endproc\n.size " #name ", . - " #name "\n"
#define PUSH	       "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbx, 0\n"
#define POP	       "pop %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore rbx\n"
/* clang-format off */
__asm__(".text\n"
	/* an interpreter's jump, by memory */
	FUNCTION(ways_goto) PUSH "lea .Lnext(%rip), %rbx\njmp *(%rbx)\n"
	".Lhere: lea 1(%rdi), %eax\n" POP "ret\n" END(ways_goto)
	/* a tail call by memory */
	FUNCTION(ways_tail) PUSH "inc %edi\n" POP "jmp *.Lother(%rip)\n" END(ways_tail)
	/* a part that is elsewhere, and that a stripped program does not name */
	FUNCTION(ways_cold) PUSH "test %edi, %edi\njs .Lcold\n.Lback: lea 1(%rdi), %eax\n"
	POP "ret\n" END(ways_cold)
	".section .text.unlikely, \"ax\"\n.cfi_startproc\n.cfi_def_cfa_offset 16\n"
	".cfi_offset rbx, -16\n.Lcold: neg %edi\ncmp $5, %edi\njne .Lback\nmov $100, %eax\n"
	POP "ret\n.cfi_endproc\n"
	".section .data.rel.ro, \"aw\"\n.balign 8\n.Lnext: .quad .Lhere\n"
	".Lother: .quad ways_goto\n.text\n");
/* clang-format on */

int main(void)
{
	int sum = ways_goto(1) + ways_tail(2);

	sum += ways_cold(3) + ways_cold(-4) + ways_cold(-5);
	printf("sum %d\n", sum);
	return 0;
}
