/* SPDX-License-Identifier: MIT */
/* fire_x86.c - breakpoints and registers of x86-64 and i386. */
#include <unistd.h>
#include "fire_machine.h"

#ifdef __x86_64__
#define PC     REG_RIP
#define RESULT REG_RAX
#else
#define PC     REG_EIP
#define RESULT REG_EAX
#endif

/* A NOP of one byte, with prefixes: *insn is its size. */
bool fire_machine_trap(uintptr_t pc, uint32_t *insn)
{
	uint8_t *code = (uint8_t *)pc;

	for (*insn = 1; code[*insn - 1] == 0x66; ++*insn)
		;
	if (code[*insn - 1] != 0x90 || *insn > 5)
		return false;
	*code = 0xcc;
	return true;
}

uintptr_t fire_machine_pc(const ucontext_t *uc)
{
	return uc->uc_mcontext.gregs[PC] - 1;
}

void fire_machine_continue(ucontext_t *uc, uintptr_t pc, uint32_t insn)
{
	uc->uc_mcontext.gregs[PC] = pc + insn;
}

void fire_machine_result(ucontext_t *uc, int value)
{
	uc->uc_mcontext.gregs[RESULT] = value;
}

uintptr_t fire_machine_register(const ucontext_t *uc, uint8_t reg)
{
#ifdef __x86_64__
	static const int names[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
				    REG_RSI, REG_RDI, REG_R8,  REG_R9,	REG_R10, REG_R11,
				    REG_R12, REG_R13, REG_R14, REG_R15};
#else
	static const int names[] = {REG_EAX,  REG_ECX, REG_EDX, REG_EBX,
				    REG_UESP, REG_EBP, REG_ESI, REG_EDI};
#endif

	if (reg >= sizeof names / sizeof names[0])
		_exit(98);
	return uc->uc_mcontext.gregs[names[reg]];
}

uintptr_t fire_machine_thread(void)
{
	uintptr_t tp;

#ifdef __x86_64__
	__asm__("mov %%fs:0, %0" : "=r"(tp));
#else
	__asm__("mov %%gs:0, %0" : "=r"(tp));
#endif
	return tp;
}
