/* SPDX-License-Identifier: MIT */
/* fire_machine.h - what fire.c has to know of the machine: breakpoints and registers. */
#ifndef FIRE_MACHINE_H
#define FIRE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/*
 * fire_machine_trap - put a breakpoint on a site's instruction, whose page can be written. *insn:
 * the data for fire_machine_continue. Return false if a site cannot have such an instruction.
 */
bool fire_machine_trap(uintptr_t pc, uint32_t *insn);
/* fire_machine_pc - where the breakpoint that was hit is. */
uintptr_t fire_machine_pc(const ucontext_t *uc);
/* fire_machine_continue - do what the instruction at pc would have done. */
void fire_machine_continue(ucontext_t *uc, uintptr_t pc, uint32_t insn);
/* fire_machine_result - set the register that a function's int is returned in. */
void fire_machine_result(ucontext_t *uc, int value);

/* fire_machine_register - a register of DOF_REG_*. fire_machine_thread - the thread pointer. */
uintptr_t fire_machine_register(const ucontext_t *uc, uint8_t reg);
uintptr_t fire_machine_thread(void);

#endif
