// SPDX-License-Identifier: MIT
/*
 * operations.c - instructions that work on registers, with all registers. Each is executed between
 * a load and a save of all registers: once before the program writes its number to the first pipe
 * and waits for a line from the second, and once after that. Print the number of instructions, and
 * those whose results differ.
 *
 *	operations PIPE PIPE
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS	3
#define ALL	"rax,rcx,rdx,rbx,rsp,rbp,rsi,rdi,r8,r9,r10,r11,r12,r13,r14,r15"
#define HALVES	"eax,ecx,edx,ebx,esp,ebp,esi,edi,r8d,r9d,r10d,r11d,r12d,r13d,r14d,r15d"
#define INDEXES "rax,rcx,rdx,rbx,rbp,rsi,rdi,r8,r9,r10,r11,r12,r13,r14,r15"

struct registers {
	uint64_t word[16], flags;
};

struct insn {
	const char *begin;
};
extern const struct insn insns[], insns_end[];

/*
 * run - load the registers, execute the instruction at an address, which is followed by a jump to
 * run_back, and save them.
 */
void run(struct registers *registers, const char *insn);

/* An instruction, as a line of a macro, and a row of the table. */
#define I(text) \
	"1: " text "; jmp run_back; .pushsection operations_insns, \"aw\"; .quad 1b; .popsection\n"
#define ONE(regs, text) ".irp a," regs "\n" I(text) ".endr\n"
#define TWO(regs, text)                              \
	".irp b," regs "\n.macro each\n.irp a," regs \
	"\n" I(text) ".endr\n.endm\neach\n.purgem each\n.endr\n"

/* clang-format off */
__asm__(".text\n.globl run, run_back\n"
	"run: push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"mov %rsp, run_sp(%rip); mov %rdi, run_registers(%rip); mov %rsi, run_insn(%rip)\n"
	"push 128(%rdi); popfq\n"
	"mov (%rdi), %rax; mov 8(%rdi), %rcx; mov 16(%rdi), %rdx; mov 24(%rdi), %rbx\n"
	"mov 32(%rdi), %rsp; mov 40(%rdi), %rbp; mov 48(%rdi), %rsi; mov 64(%rdi), %r8\n"
	"mov 72(%rdi), %r9; mov 80(%rdi), %r10; mov 88(%rdi), %r11; mov 96(%rdi), %r12\n"
	"mov 104(%rdi), %r13; mov 112(%rdi), %r14; mov 120(%rdi), %r15; mov 56(%rdi), %rdi\n"
	"jmp *run_insn(%rip)\n"
	"run_back: mov %rdi, run_di(%rip); mov run_registers(%rip), %rdi\n"
	"mov %rsp, 32(%rdi); mov run_sp(%rip), %rsp; pushfq; pop 128(%rdi)\n"
	"mov %rax, (%rdi); mov %rcx, 8(%rdi); mov %rdx, 16(%rdi); mov %rbx, 24(%rdi)\n"
	"mov %rbp, 40(%rdi); mov %rsi, 48(%rdi); mov %r8, 64(%rdi); mov %r9, 72(%rdi)\n"
	"mov %r10, 80(%rdi); mov %r11, 88(%rdi); mov %r12, 96(%rdi); mov %r13, 104(%rdi)\n"
	"mov %r14, 112(%rdi); mov %r15, 120(%rdi); mov run_di(%rip), %rax; mov %rax, 56(%rdi)\n"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret\n"
	".local run_sp, run_registers, run_insn, run_di\n"
	".comm run_sp, 8; .comm run_registers, 8; .comm run_insn, 8; .comm run_di, 8\n"
	".section operations_insns, \"aw\"\n.p2align 3\n.globl insns\ninsns:\n.text\n"
	".type operations, @function\noperations:\n"
	TWO(ALL, "mov %\\a, %\\b") TWO(HALVES, "mov %\\a, %\\b")
	TWO(ALL, "add %\\a, %\\b") TWO(HALVES, "sub %\\a, %\\b")
	TWO(HALVES, "cmp %\\a, %\\b") TWO(ALL, "test %\\a, %\\b")
	TWO(HALVES, "xor %\\a, %\\b") TWO(ALL, "and %\\a, %\\b") TWO(ALL, "or %\\a, %\\b")
	TWO(INDEXES, "lea -9(%\\a,%\\b,4), %\\a") TWO(INDEXES, "lea (%rsp,%\\a,2), %\\b")
	ONE(INDEXES, "lea 0x12345678(,%\\a,8), %\\a") ONE(ALL, "lea 5(%\\a), %\\a")
	ONE(ALL, "lea run(%rip), %\\a") ONE(ALL, "pop %\\a") ONE(ALL, "mov $-77, %\\a")
	ONE(HALVES, "mov $0x87654321, %\\a") ONE(ALL, "movabs $0x8877665544332211, %\\a")
	ONE(ALL, "add $-1, %\\a") ONE(HALVES, "sub $0x7fffffff, %\\a") ONE(ALL, "cmp $0x80, %\\a")
	ONE(HALVES, "test $0x80000000, %\\a") ONE(ALL, "and $0x7f, %\\a") ONE(ALL, "push %\\a")
	ONE(ALL, "adc $1, %\\a") ONE(HALVES, "sbb $-1, %\\a") ONE(ALL, "inc %\\a")
	I("endbr64") I("nopl 5(%rax,%rax,1)") I("pushfq")
	".size operations, . - operations\n"
	".section operations_insns\n.globl insns_end\ninsns_end:\n.text\n");
/* clang-format on */

static uint64_t stack[64];

static uint64_t number(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state >> 32 & 1 ? *state ^ *state >> 17 : (*state >> 40) - 4096;
}

static uint64_t digest(uint64_t sum, uint64_t word)
{
	return (sum ^ word) * 0x100000001b3;
}

/* The result of one instruction. */
static uint64_t outcome(const struct insn *insn)
{
	uint64_t state = insn - insns, sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct registers registers;

		for (int i = 0; i < 64; i++)
			stack[i] = number(&state);
		for (int i = 0; i < 16; i++)
			registers.word[i] = number(&state);
		registers.word[4] = (uint64_t)&stack[32];
		registers.flags = (number(&state) & 0x8d5) | 0x202;
		run(&registers, insn->begin);
		for (int i = 0; i < 16; i++)
			sum = digest(sum, registers.word[i]);
		sum = digest(sum, registers.flags);
		for (int i = 0; i < 64; i++)
			sum = digest(sum, stack[i]);
	}
	return sum;
}

static void wait_between(char **pipes)
{
	FILE *up = fopen(pipes[0], "w"), *go;
	char line[16];

	if (!up)
		err(1, "%s", pipes[0]);
	fprintf(up, "%d\n", getpid());
	fclose(up);
	go = fopen(pipes[1], "r");
	if (!go || !fgets(line, sizeof(line), go))
		err(1, "%s", pipes[1]);
	fclose(go);
}

int main(int argc, char **argv)
{
	size_t n = insns_end - insns;
	uint64_t *before = calloc(n, sizeof(*before));

	if (argc != 3 || !before)
		errx(2, "usage: operations PIPE PIPE");
	for (size_t i = 0; i < n; i++)
		before[i] = outcome(&insns[i]);
	wait_between(argv + 1);
	printf("%zu instructions\n", n);
	for (size_t i = 0; i < n; i++)
		if (outcome(&insns[i]) != before[i])
			printf("number %zu, at %#tx, is not what it was\n", i,
			       insns[i].begin - insns[0].begin);
	return 0;
}
