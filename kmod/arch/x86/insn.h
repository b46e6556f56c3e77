/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * insn.h - instructions at tracepoints that are emulated here instead of single-stepped by uprobes.
 */
#ifndef DTRACE_ARCH_X86_INSN_H
#define DTRACE_ARCH_X86_INSN_H

#include <linux/fs.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include "insn_emulate.h"

enum insn_kind {
	INSN_OTHER, /* left to uprobes */
	INSN_NOP,
	INSN_RETURN,
	INSN_PUSHF,
	INSN_POP,
	INSN_OPERATION,
};

struct dtrace_insn {
	u8 kind;      /* enum insn_kind */
	u8 length;    /* of a NOP or pop */
	u8 to;	      /* of a pop: the register */
	bool first;   /* it is the first one of a function */
	u8 condition; /* of a conditional jump: CONDITION and its number; else 0 */
	u16 pop;      /* of a return: bytes of arguments that it takes from the stack */
	struct dtrace_operation operation;
};

/*
 * Read and decode the instruction at an offset of a file, all members but first. Return
 * -EOPNOTSUPP if it must not have a breakpoint, or errors of reading. Sleeps as long as the file's
 * server likes.
 */
int insn_read(struct dtrace_insn *insn, struct file *file, loff_t offset);
/* Return false if the instruction is a conditional jump that will not be taken. Any context. */
bool insn_is_taken(const struct dtrace_insn *insn, const struct pt_regs *regs);
/*
 * Emulate the instruction for current, or leave it to uprobes. For the last handler of a hit.
 * alone: no other uprobe consumer is at the location.
 */
void insn_emulate(const struct dtrace_insn *insn, struct pt_regs *regs, bool alone);

#endif
