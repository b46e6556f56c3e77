/* SPDX-License-Identifier: MIT */
/*
 * operand.h - the arguments of a site record (dtrace/site.h) and of a SystemTap note, to and from
 * the locations of DOF. Needs no libc. What differs between machines is in operand_MACHINE.c.
 */
#ifndef DRTI_OPERAND_H
#define DRTI_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <dtrace/dof.h>

#define OPERAND_MAXLEN 16 /* bytes that an argument can take */

struct text;

/* How arguments are told on a machine. */
struct operands {
	int bits; /* 32 or 64: of its processes */
	/* operand_decode; NULL: the machine's records are text */
	size_t (*decode)(const uint8_t *in, size_t len, uint64_t addr, int bits, dof_argloc_t *loc);
	/* The place in a text, after the size; sets al_size if that is 0 and the place tells it. */
	bool (*place)(struct text *t, int bits, dof_argloc_t *loc);
};

extern const struct operands operands_x86_64, operands_i386, operands_aarch64;

/* The machine that this is compiled for. */
#if defined __x86_64__
#define OPERANDS_HERE (&operands_x86_64)
#elif defined __i386__
#define OPERANDS_HERE (&operands_i386)
#elif defined __aarch64__
#define OPERANDS_HERE (&operands_aarch64)
#endif

/*
 * Read one argument of a record.
 *	machine		the record is for
 *	in, len		the bytes from it to the end of the record
 *	addr		address of in[0] in the process
 *	loc		set to where the argument is. With base DOF_REG_IP, al_disp is the
 *			absolute address in the process: whoever writes it into DOF subtracts
 *			the address of the DOF header
 * Returns the bytes read, 0 if this is no argument (the list's end, or damage).
 */
size_t operand_decode(const struct operands *machine, const uint8_t *in, size_t len, uint64_t addr,
		      dof_argloc_t *loc);

/* Where a symbol that an argument names is; false if that is not known. */
typedef bool operand_symbol(void *context, const char *name, size_t len, uint64_t *address);

/*
 * operand_text - read one argument of a SystemTap note.
 *	machine		the note is for
 *	in, len		the text from the argument, or a blank before it, to the end of the list
 *	symbol, context	tells addresses in the process; NULL: none is known
 *	loc		set as by operand_decode; DOF_LOC_NONE if the place is not one that we know
 * Returns the characters read, 0 at the end of the list.
 */
size_t operand_text(const struct operands *machine, const char *in, size_t len,
		    operand_symbol *symbol, void *context, dof_argloc_t *loc);

/* operand_constant - give a constant the value that it has in its size and signedness. */
void operand_constant(dof_argloc_t *loc);

/*
 * operand_x86_encode - write one argument of x86: a register, or memory with a base register other
 * than DOF_REG_IP and no index.
 *	loc		where it is: DOF_LOC_REG, DOF_LOC_MEM, or in 64-bit objects DOF_LOC_XMM
 *	bits		32 or 64
 *	out		room for OPERAND_MAXLEN bytes
 * Returns the bytes written, 0 if loc is none of these.
 */
size_t operand_x86_encode(const dof_argloc_t *loc, int bits, uint8_t *out);

#endif
