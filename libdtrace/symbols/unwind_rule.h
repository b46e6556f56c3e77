/* SPDX-License-Identifier: MIT */
/* unwind_rule.h - rules for the module made of what libdw says of a frame. (unwind_rule.c) */
#ifndef DT_UNWIND_RULE_H
#define DT_UNWIND_RULE_H

#include <stdbool.h>
#include <elfutils/libdw.h>
#include <dtrace/unwind.h>

/* A machine's registers: by the numbers that DWARF gives them there. */
struct dt_unwind_machine {
	uint16_t elf;				/* EM_* */
	unsigned char class;			/* ELFCLASS* */
	uint8_t word;				/* bytes of an address */
	uint8_t sp, fp, ra;
	uint8_t nregs;
	uint8_t regs[DTRACE_UNWIND_NREGS];	/* what <dtrace/unwind.h> calls them */
	uint8_t kept[DTRACE_UNWIND_NSAVED];	/* those that rules tell of, in its order */
	uint8_t context_sp;			/* where struct sigcontext has the stack pointer */
};

/* dt_unwind_machine - that of a file; NULL: not one whose stacks can be unwound. */
const struct dt_unwind_machine *dt_unwind_machine(Elf *elf);
/*
 * dt_unwind_rule - how a frame is left; signal: it is that of a signal trampoline. Of kind
 * DTRACE_UNWIND_NONE if there is no rule for what libdw says.
 */
dtrace_unwind_rule_t dt_unwind_rule(const struct dt_unwind_machine *machine, Dwarf_Frame *frame,
				    bool signal);

#endif
