// SPDX-License-Identifier: MIT
/*
 * stepped.c - a function that the program's child single-steps as a debugger does. Print where it
 * stopped, with some registers, and the result of the function.
 */
#include <err.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

uint64_t stepped(uint64_t n);
extern const char stepped_end[];

/* All kinds of instructions that a tracer emulates: NOPs, registers, the stack, calls, jumps. */
__asm__(".text\n.type stepped, @function\nstepped:\n"
	"endbr64; push %rbp; mov %rsp, %rbp; lea -32(%rsp), %rsp; mov %rdi, -8(%rbp)\n"
	"xor %eax, %eax; lea 5(%rdi,%rdi,2), %rcx; add %rcx, %rax; cmp $100, %rax; ja 1f\n"
	"and $0x7f, %eax; test %eax, %eax; jz 1f; call 2f; or $64, %rax\n"
	"1: nopl 0(%rax,%rax,1); add -8(%rbp), %rax; imul $3, %rax; push %rax; pop %rdx\n"
	"mov $7, %ecx; sub %rcx, %rdx; mov %rdx, %rax; leave; ret\n"
	"2: nop; xchg %ax, %ax; lea 3(%rax), %eax; repz ret\n"
	".globl stepped_end\nstepped_end:\n.size stepped, . - stepped\n");

static pid_t tracee;

/* Wait for a stop, and read *regs. Return whether it is by SIGTRAP. */
static int stop(struct user_regs_struct *regs)
{
	int status;

	if (waitpid(tracee, &status, __WALL) != tracee || !WIFSTOPPED(status))
		errx(1, "no stop");
	if (ptrace(PTRACE_GETREGS, tracee, NULL, regs) != 0)
		err(1, "PTRACE_GETREGS");
	return WSTOPSIG(status) == SIGTRAP;
}

static int within(const struct user_regs_struct *regs)
{
	return regs->rip - (uintptr_t)stepped < (uintptr_t)stepped_end - (uintptr_t)stepped;
}

/* Clear rax, so that the output is the same each time. */
static void regs_begin(struct user_regs_struct *regs)
{
	regs->rax = 0;
	if (ptrace(PTRACE_SETREGS, tracee, NULL, regs) != 0)
		err(1, "PTRACE_SETREGS");
}

/* Step from a signal-delivery stop, before the call of the function, to its end. */
static void step_all(void)
{
	struct user_regs_struct regs;
	unsigned int steps = 0;
	int left = 0;

	while (!left) {
		int inside;

		ptrace(PTRACE_SINGLESTEP, tracee, NULL, NULL);
		if (!stop(&regs))
			errx(1, "another signal at %#llx", regs.rip);
		inside = within(&regs);
		if (inside && !steps)
			regs_begin(&regs);
		left = steps && !inside;
		if (inside)
			printf("%u: +%#llx rax %#llx flags %#llx\n", steps++,
			       (unsigned long long)(regs.rip - (uintptr_t)stepped), regs.rax,
			       regs.eflags & 0x8d5);
	}
	printf("%u steps\n", steps);
	fflush(stdout);
}

static void debugger(int seized)
{
	struct user_regs_struct regs;

	tracee = getppid();
	if (ptrace(PTRACE_SEIZE, tracee, NULL, NULL) != 0)
		err(1, "PTRACE_SEIZE");
	if (write(seized, "", 1) != 1)
		err(1, "pipe");
	if (stop(&regs))
		errx(1, "not the signal");
	step_all();
	ptrace(PTRACE_DETACH, tracee, NULL, NULL);
	_exit(0);
}

int main(void)
{
	int status, seized[2];
	uint64_t sum;
	char byte;
	pid_t pid;

	if (pipe(seized) != 0)
		err(1, "pipe");
	pid = fork();
	if (pid == 0)
		debugger(seized[1]);
	if (read(seized[0], &byte, 1) != 1)
		err(1, "pipe");
	raise(SIGUSR1); /* the debugger suppresses it */
	sum = stepped(11);
	waitpid(pid, &status, 0);
	printf("%llu, %d\n", (unsigned long long)sum, status);
	return 0;
}
