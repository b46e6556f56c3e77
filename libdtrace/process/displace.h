/* SPDX-License-Identifier: MIT */
/*
 * displace.h - one instruction of x86-64, moved to another address where it does the same.
 * (displace.c)
 *
 * The moved code ends with a jump to where the instruction would have gone on. A moved call pushes
 * the address behind the original instruction, so that nothing on the stack refers to the copy. No
 * register and no flag is changed but by the instruction itself.
 */
#ifndef DT_DISPLACE_H
#define DT_DISPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISPLACE_INSN 15 /* bytes of an instruction at most */
#define DISPLACE_CODE 48 /* bytes of moved code at most */

enum displace_kind {
	DISPLACE_COPY,	       /* the same anywhere */
	DISPLACE_OPERAND,      /* an operand is at an address relative to the instruction */
	DISPLACE_LEAVE,	       /* it never goes on behind it: a return, or a jump by a register */
	DISPLACE_JUMP,	       /* a direct jump */
	DISPLACE_JUMP_IF,      /* by the flags */
	DISPLACE_JUMP_COUNTED, /* by a counter */
	DISPLACE_CALL,	       /* a direct call */
	DISPLACE_CALL_BY,      /* a call by a register or by memory */
};

struct displace {
	enum displace_kind kind;
	uint8_t bytes[DISPLACE_INSN], size;
	uint8_t opcode;	   /* offset of the opcode, behind prefixes */
	uint8_t relative;  /* offset of the 4 bytes of a relative operand; 0: there is none */
	uint8_t condition; /* of DISPLACE_JUMP_IF: 0 to 15, as in the opcode */
	uint64_t next;	   /* address behind the original instruction */
	uint64_t target;   /* of the jump, call, or operand; 0: none is known */
};

/*
 * Read the instruction of which bytes, n of them, are the first, at an address. Return NULL; or why
 * it cannot be moved, a constant text that begins with "it".
 */
const char *displace_read(struct displace *insn, const uint8_t *bytes, size_t n, uint64_t addr);
/* Return the size of the moved code. */
size_t displace_size(const struct displace *insn);
/* Return whether the moved code works at an address: whether it reaches what it refers to. */
bool displace_reaches(const struct displace *insn, uint64_t at);
/* Write the code for an address that displace_reaches() has approved. */
void displace_write(const struct displace *insn, uint64_t at, uint8_t *code);

#endif
