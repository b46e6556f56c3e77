/* SPDX-License-Identifier: MIT */
/* fire_aarch64.c - breakpoints and registers of aarch64. */
#include <unistd.h>
#include "fire_machine.h"

#define INSN_NOP 0xd503201fu
#define INSN_RET 0xd65f03c0u
#define INSN_BRK 0xd4200000u

#define REG_LINK 30
#define REG_SP	 31

bool fire_machine_trap(uintptr_t pc, uint32_t *insn)
{
	uint32_t *code = (uint32_t *)pc;

	*insn = *code;
	if (*insn != INSN_NOP && *insn != INSN_RET)
		return false;
	*code = INSN_BRK;
	__builtin___clear_cache((char *)code, (char *)(code + 1));
	return true;
}

uintptr_t fire_machine_pc(const ucontext_t *uc)
{
	return uc->uc_mcontext.pc;
}

void fire_machine_continue(ucontext_t *uc, uintptr_t pc, uint32_t insn)
{
	uc->uc_mcontext.pc = insn == INSN_RET ? uc->uc_mcontext.regs[REG_LINK] : pc + 4;
}

void fire_machine_result(ucontext_t *uc, int value)
{
	uc->uc_mcontext.regs[0] = value;
}

uintptr_t fire_machine_register(const ucontext_t *uc, uint8_t reg)
{
	if (reg > REG_SP)
		_exit(98);
	return reg == REG_SP ? uc->uc_mcontext.sp : uc->uc_mcontext.regs[reg];
}

uintptr_t fire_machine_thread(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}
