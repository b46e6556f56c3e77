// SPDX-License-Identifier: MIT
/*
 * registers.c - registers with a different value each, at function registers_site; and a function
 * of ten arguments. For 64-bit and 32-bit code, not position-independent.
 *
 *	registers [stack]	stack: there is memory at the value of the stack pointer (64-bit
 *				code)
 */
#ifdef __x86_64__
#include <sys/mman.h>
#endif

void registers(void);

#ifdef __x86_64__
#define VALUES	"0x0101010101010101"
#define STACK	"rsp"
#define ALL	"rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15"
#define SAVE	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
#define RESTORE "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
#define FLAGS	"push $0xad7; popfq\n"
#define MOVE	"movabs"
#else
#define VALUES	"0x01010101"
#define STACK	"esp"
#define ALL	"eax, ecx, edx, ebx, ebp, esi, edi"
#define SAVE	"push %ebx; push %ebp; push %esi; push %edi\n"
#define RESTORE "pop %edi; pop %esi; pop %ebp; pop %ebx\n"
#define FLAGS	"push $0xad7; popf\n"
#define MOVE	"mov"
#endif

/*
 * The n-th register has n in each of its bytes. The stack pointer is invalid meanwhile, but for
 * `stack`.
 */
/* clang-format off */
__asm__(".text\n.globl registers\n.type registers, @function\nregisters:\n" SAVE
	"mov %" STACK ", registers_stack\n" FLAGS
	".set n, 1\n.irp register, " ALL "\n" MOVE " $" VALUES " * n, %\\register\n.set n, n + 1\n.endr\n"
	"mov $0x12345670, %" STACK "\njmp registers_site\n"
	"registers_back: mov registers_stack, %" STACK "\n" RESTORE "ret\n"
	".size registers, . - registers\n"
	".type registers_site, @function\nregisters_site: nop; jmp registers_back\n"
	".size registers_site, . - registers_site\n"
	".local registers_stack\n.comm registers_stack, 8\n");
/* clang-format on */

int __attribute__((noipa))
registers_ten(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
	return a + b + c + d + e + f + g + h + i + j;
}

int main(int argc, char **argv)
{
	(void)argv;
#ifdef __x86_64__
	if (argc > 1 &&
	    mmap((void *)0x12340000, 0x10000, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
		return 2;
#endif
	(void)argc;
	registers();
	return registers_ten(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) != 55;
}
