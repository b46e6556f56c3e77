/* SPDX-License-Identifier: MIT */
/*
 * unwind_rule.h - the world's unwind rules, made from libdw's description of a frame.
 * (unwind_rule.c)
 */
#ifndef DT_UNWIND_RULE_H
#define DT_UNWIND_RULE_H

#include <stdbool.h>
#include <elfutils/libdw.h>
#include <dtrace/unwind.h>

/* A machine's registers, by their DWARF numbers. */
struct dt_unwind_machine {
	uint16_t elf;	     /* EM_* */
	unsigned char class; /* ELFCLASS* */
	uint8_t word;	     /* bytes of an address */
	uint8_t sp, fp, ra;
	uint8_t nregs;
	uint8_t regs[DTRACE_UNWIND_NREGS];  /* their numbers in <dtrace/unwind.h> */
	uint8_t kept[DTRACE_UNWIND_NSAVED]; /* registers that rules save, in its order */
	uint8_t context_sp;		    /* offset of the stack pointer in struct sigcontext */
};

/* Return the machine of a file, NULL if its stacks cannot be unwound. */
const struct dt_unwind_machine *dt_unwind_machine(Elf *elf);
/*
 * Return the rule that leaves a frame. signal: the frame is that of a signal trampoline. The kind
 * is DTRACE_UNWIND_NONE if no rule can express what libdw says.
 */
dtrace_unwind_rule_t dt_unwind_rule(const struct dt_unwind_machine *machine, Dwarf_Frame *frame,
				    bool signal);

#endif
