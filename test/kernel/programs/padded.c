/* SPDX-License-Identifier: MIT */
/*
 * padded.c - small functions between which there is int3 or NOPs: as padding, as linkers and
 * assemblers write it, and int3 as breakpoints of the program. Prints what the functions return,
 * and how many breakpoints it hit.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

int padded_add(int a, int b);
int padded_same(int a);
void padded_none(void);
int padded_jump(int a);
long padded_nop(long a);
long padded_nops(long a);
void padded_local(int trap);
void padded_label(void);
void padded_breakpoint(void);

#define FUNCTION(name) \
	".p2align 4, 0xcc\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"
#define END(name) ".size " #name ", . - " #name "\n"
/* clang-format off */
__asm__(".text\n"
	FUNCTION(padded_add) "lea (%rdi, %rsi), %eax\nret\n" END(padded_add)
	FUNCTION(padded_same) "mov %edi, %eax\nret\n" END(padded_same)
	FUNCTION(padded_none) "ret\n" END(padded_none)
	FUNCTION(padded_jump) "jmp padded_same\n" END(padded_jump)
	/* NOPs of one byte, and longer ones */
	FUNCTION(padded_nop) "lea 1(%rdi), %rax\nret\n" END(padded_nop) ".p2align 4, 0x90\n"
	FUNCTION(padded_nops) "lea 2(%rdi), %rax\nret\n" END(padded_nops) ".p2align 4\n"
	/* breakpoints: the target of a jump, and a symbol */
	FUNCTION(padded_local) "test %edi, %edi\njnz .Lbreakpoint\nret\n" END(padded_local)
	".Lbreakpoint: int3\n"
	FUNCTION(padded_label) "ret\n" END(padded_label)
	".globl padded_breakpoint\npadded_breakpoint: int3\n.p2align 4, 0xcc\n");
/* clang-format on */

static volatile int traps;

/* Return from the function that has the breakpoint. */
static void trapped(int sig, siginfo_t *info, void *arg)
{
	greg_t *regs = ((ucontext_t *)arg)->uc_mcontext.gregs;

	(void)sig;
	(void)info;
	traps++;
	regs[REG_RIP] = *(greg_t *)regs[REG_RSP];
	regs[REG_RSP] += sizeof(greg_t);
}

int main(void)
{
	const struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
	int sum = 0;

	sigaction(SIGTRAP, &action, NULL);
	for (int i = 0; i < 10; i++) {
		sum = padded_add(sum, padded_same(i));
		padded_none();
		sum += padded_jump(i);
		sum += (int)(padded_nop(i) + padded_nops(i));
		padded_local(i % 2);
		padded_label();
		padded_breakpoint();
	}
	printf("sum %d, %d breakpoints\n", sum, traps);
	return 0;
}
