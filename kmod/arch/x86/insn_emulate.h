/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * insn_emulate.h - instructions of 64-bit code that work on registers alone, as an operation on the
 * registers of a thread that is about to execute one.
 *
 * All have the form: register, operation, value. The value is a sum of at most a register, a
 * multiple of a register, and a constant. Instructions with other operands are not handled.
 */
#ifndef DTRACE_ARCH_X86_INSN_EMULATE_H
#define DTRACE_ARCH_X86_INSN_EMULATE_H

#include <dtrace/types.h>

struct pt_regs;

enum dtrace_operator {
	OPERATION_NONE,
	OPERATION_MOVE, /* mov, lea */
	OPERATION_ADD,
	OPERATION_SUBTRACT,
	OPERATION_COMPARE,
	OPERATION_AND,
	OPERATION_TEST,
	OPERATION_OR,
	OPERATION_XOR,
};

/* Registers have the numbers that instructions give them; and these. */
#define OPERATION_SP	      4
#define OPERATION_IP	      16
#define OPERATION_NO_REGISTER 17

struct dtrace_operation {
	uint8_t op;	/* enum dtrace_operator */
	uint8_t length; /* of the instruction */
	uint8_t size;	/* of what it works on: 4 or 8 bytes */
	uint8_t to;
	uint8_t base, index; /* of the value, if it has such registers, */
	uint8_t shift;	     /* and what the index is multiplied by, as a power of two */
	int64_t constant;
};

/*
 * operation_decode - decode the instruction at code, of which 15 bytes can be read. False: it is
 * none of these.
 */
bool operation_decode(struct dtrace_operation *operation, const uint8_t *code);
/* operation_do - carry out an operation on regs, the program counter included. */
void operation_do(const struct dtrace_operation *operation, struct pt_regs *regs);
/* operation_register - where the register of a number is kept. */
unsigned long *operation_register(struct pt_regs *regs, unsigned int number);

#endif
