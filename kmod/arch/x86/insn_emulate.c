// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * insn_emulate.c - instructions that work on registers alone: read, and carried out.
 *
 * mov, lea, add, sub, cmp, and, test, or, xor of 32 and 64 bits, with no prefix but REX: more than
 * a third of all instructions of a program. Nothing here reads or writes memory, or can fail;
 * test/unit compares all forms with what the processor does.
 */
#include <asm/processor-flags.h>
#include <asm/ptrace.h>

#include "insn_emulate.h"

#define REX   0x40 /* a prefix: 0100WRXB */
#define REX_W 8	   /* 64 bits */
#define REX_R 4	   /* the fourth bit of ModRM's register, */
#define REX_X 2	   /* of the index, */
#define REX_B 1	   /* of the base or ModRM's other register */

#define FLAGS                                                                            \
	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF | X86_EFLAGS_ZF | X86_EFLAGS_SF | \
	 X86_EFLAGS_OF)

/* Where operands are; ModRM names two, of which the second may be memory. */
enum form {
	FORM_NONE,
	FORM_TO_SECOND,	     /* from the first */
	FORM_TO_FIRST,	     /* from the second */
	FORM_TO_AX,	     /* from a constant of 4 bytes */
	FORM_CONSTANT,	     /* to the second, from 4 bytes: ModRM's first is part of the opcode */
	FORM_SMALL_CONSTANT, /* to the second, from one of 1 byte */
	FORM_TO_OPCODE,	     /* the opcode names the register: from a constant of full size */
	FORM_ADDRESS,	     /* to the first, from the address that the second has */
};

/* ---- reading ---- */

static enum form form_of(uint8_t opcode)
{
	switch (opcode) {
	case 0x01:
	case 0x09:
	case 0x21:
	case 0x29:
	case 0x31:
	case 0x39:
	case 0x85:
	case 0x89:
		return FORM_TO_SECOND;
	case 0x03:
	case 0x0b:
	case 0x23:
	case 0x2b:
	case 0x33:
	case 0x3b:
	case 0x8b:
		return FORM_TO_FIRST;
	case 0x05:
	case 0x0d:
	case 0x25:
	case 0x2d:
	case 0x35:
	case 0x3d:
	case 0xa9:
		return FORM_TO_AX;
	case 0x81:
	case 0xc7:
	case 0xf7:
		return FORM_CONSTANT;
	case 0x83:
		return FORM_SMALL_CONSTANT;
	case 0x8d:
		return FORM_ADDRESS;
	default:
		return opcode >= 0xb8 && opcode <= 0xbf ? FORM_TO_OPCODE : FORM_NONE;
	}
}

/*
 * Return the operator of an opcode. extension: ModRM's first register, which is a part of some
 * opcodes.
 */
static enum dtrace_operator operator_of(uint8_t opcode, unsigned int extension)
{
	static const uint8_t arithmetic[8] = {
		OPERATION_ADD, OPERATION_OR,	   OPERATION_NONE, OPERATION_NONE,
		OPERATION_AND, OPERATION_SUBTRACT, OPERATION_XOR,  OPERATION_COMPARE,
	};

	switch (opcode) {
	case 0x81:
	case 0x83:
		return arithmetic[extension];
	case 0x85:
	case 0xa9:
		return OPERATION_TEST;
	case 0xf7:
		return extension == 0 ? OPERATION_TEST : OPERATION_NONE;
	case 0xc7:
		return extension == 0 ? OPERATION_MOVE : OPERATION_NONE;
	default:
		return opcode < 0x40 ? arithmetic[opcode >> 3] : OPERATION_MOVE;
	}
}

/* Return a signed number of n bytes. */
static int64_t constant_at(const uint8_t *at, unsigned int n)
{
	uint64_t value = 0;
	unsigned int i, unused = 64 - 8 * n;

	if (!n)
		return 0;
	for (i = 0; i < n; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return (int64_t)(value << unused) >> unused;
}

/* Decode an address from its ModRM byte. Return the number of its bytes. */
static unsigned int address_decode(struct dtrace_operation *o, const uint8_t *at, uint8_t rex)
{
	unsigned int mod = at[0] >> 6, base = at[0] & 7, n = 1;
	unsigned int size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
	bool scaled = base == 4;

	if (scaled) {
		base = at[n] & 7;
		o->index = (at[n] >> 3 & 7) | (rex & REX_X ? 8 : 0);
		o->shift = at[n++] >> 6;
		if (o->index == OPERATION_SP)
			o->index = OPERATION_NO_REGISTER;
	}
	o->base = (uint8_t)(base | (rex & REX_B ? 8 : 0));
	if (mod == 0 && base == 5) {
		o->base = scaled ? OPERATION_NO_REGISTER : OPERATION_IP;
		size = 4;
	}
	o->constant = constant_at(at + n, size);
	return n + size;
}

/*
 * Decode the operands behind an opcode. Return the number of their bytes, or 0 if they are not
 * supported.
 */
static unsigned int operands_decode(struct dtrace_operation *o, const uint8_t *opcode, uint8_t rex)
{
	const uint8_t *at = opcode + 1;
	enum form form = form_of(*opcode);
	uint8_t first = (at[0] >> 3 & 7) | (rex & REX_R ? 8 : 0);
	uint8_t second = (at[0] & 7) | (rex & REX_B ? 8 : 0);
	bool is_register = at[0] >> 6 == 3;

	switch (form) {
	case FORM_TO_SECOND:
		o->to = second;
		o->base = first;
		return is_register;
	case FORM_TO_FIRST:
		o->to = first;
		o->base = second;
		return is_register;
	case FORM_TO_AX:
		o->to = 0;
		o->constant = constant_at(at, 4);
		return 4;
	case FORM_CONSTANT:
		o->to = second;
		o->constant = constant_at(at + 1, 4);
		return is_register ? 5 : 0;
	case FORM_SMALL_CONSTANT:
		o->to = second;
		o->constant = constant_at(at + 1, 1);
		return is_register ? 2 : 0;
	case FORM_TO_OPCODE:
		o->to = (*opcode & 7) | (rex & REX_B ? 8 : 0);
		o->constant = constant_at(at, o->size);
		return o->size;
	case FORM_ADDRESS:
		o->to = first;
		return is_register ? 0 : address_decode(o, at, rex);
	default:
		return 0;
	}
}

bool operation_decode(struct dtrace_operation *o, const uint8_t *code)
{
	uint8_t rex = (code[0] & 0xf0) == REX ? code[0] : 0;
	const uint8_t *opcode = code + (rex ? 1 : 0);
	unsigned int operands;

	*o = (struct dtrace_operation){
		.op = OPERATION_NONE,
		.size = rex & REX_W ? 8 : 4,
		.base = OPERATION_NO_REGISTER,
		.index = OPERATION_NO_REGISTER,
	};
	operands = operands_decode(o, opcode, rex);
	if (!operands)
		return false;
	o->op = operator_of(*opcode, opcode[1] >> 3 & 7);
	o->length = (uint8_t)(opcode + 1 + operands - code);
	if (o->base == OPERATION_IP)
		o->constant += o->length; /* of what comes next */
	return o->op != OPERATION_NONE;
}

/* ---- carrying out ---- */

unsigned long *operation_register(struct pt_regs *regs, unsigned int number)
{
	static const uint8_t offsets[] = {
		offsetof(struct pt_regs, ax),  offsetof(struct pt_regs, cx),
		offsetof(struct pt_regs, dx),  offsetof(struct pt_regs, bx),
		offsetof(struct pt_regs, sp),  offsetof(struct pt_regs, bp),
		offsetof(struct pt_regs, si),  offsetof(struct pt_regs, di),
		offsetof(struct pt_regs, r8),  offsetof(struct pt_regs, r9),
		offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
		offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13),
		offsetof(struct pt_regs, r14), offsetof(struct pt_regs, r15),
		offsetof(struct pt_regs, ip),
	};

	return (void *)regs + offsets[number];
}

static uint64_t value_of(const struct dtrace_operation *o, struct pt_regs *regs)
{
	uint64_t value = o->constant;

	if (o->base != OPERATION_NO_REGISTER)
		value += *operation_register(regs, o->base);
	if (o->index != OPERATION_NO_REGISTER)
		value += (uint64_t)*operation_register(regs, o->index) << o->shift;
	return value;
}

static uint64_t result_of(enum dtrace_operator op, uint64_t a, uint64_t b)
{
	switch (op) {
	case OPERATION_ADD:
		return a + b;
	case OPERATION_SUBTRACT:
	case OPERATION_COMPARE:
		return a - b;
	case OPERATION_AND:
	case OPERATION_TEST:
		return a & b;
	case OPERATION_OR:
		return a | b;
	case OPERATION_XOR:
		return a ^ b;
	default:
		return b;
	}
}

/*
 * Return whether the lowest byte has an even number of ones. The constant has a bit for each value
 * of the two halves' exclusive or.
 */
static bool parity_of(uint64_t value)
{
	value ^= value >> 4;
	return 0x9669 >> (value & 0xf) & 1;
}

/*
 * Return the flags carry, overflow and auxiliary carry of an operation. sign: the number of the
 * highest bit of its operands.
 */
static unsigned long carries_of(enum dtrace_operator op, uint64_t a, uint64_t b, uint64_t result,
				unsigned int sign)
{
	bool carry, overflow;

	switch (op) {
	case OPERATION_ADD:
		carry = result < a;
		overflow = ((a ^ result) & (b ^ result)) >> sign & 1;
		break;
	case OPERATION_SUBTRACT:
	case OPERATION_COMPARE:
		carry = a < b;
		overflow = ((a ^ b) & (a ^ result)) >> sign & 1;
		break;
	default:
		return 0;
	}
	return (carry ? X86_EFLAGS_CF : 0) | (overflow ? X86_EFLAGS_OF : 0) |
	       ((a ^ b ^ result) & X86_EFLAGS_AF);
}

static unsigned long flags_of(uint64_t result, unsigned int sign)
{
	return (result ? 0 : X86_EFLAGS_ZF) | (result >> sign & 1 ? X86_EFLAGS_SF : 0) |
	       (parity_of(result) ? X86_EFLAGS_PF : 0);
}

/* A write to the lower half of a register clears the upper half. */
void operation_do(const struct dtrace_operation *o, struct pt_regs *regs)
{
	unsigned long *to = operation_register(regs, o->to);
	uint64_t mask = o->size == 8 ? ~0ULL : ~0U;
	uint64_t a = *to & mask, b = value_of(o, regs) & mask;
	uint64_t result = result_of(o->op, a, b) & mask;
	unsigned int sign = 8 * o->size - 1;

	if (o->op != OPERATION_MOVE)
		regs->flags = (regs->flags & ~FLAGS) | flags_of(result, sign) |
			      carries_of(o->op, a, b, result, sign);
	if (o->op != OPERATION_COMPARE && o->op != OPERATION_TEST)
		*to = result;
	regs->ip += o->length;
}
