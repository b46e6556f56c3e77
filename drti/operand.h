/* SPDX-License-Identifier: MIT */
/*
 * operand.h - converts the arguments of site records (dtrace/site.h) and SystemTap notes to and
 * from the locations of DOF. Needs no libc. operand_MACHINE.c has the differences between machines.
 */
#ifndef DRTI_OPERAND_H
#define DRTI_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <dtrace/dof.h>

#define OPERAND_MAXLEN 16 /* bytes that an argument can take */

struct text;

/* The forms of arguments on a machine. */
struct operands {
	int bits; /* 32 or 64: of its processes */
	/* Decode an argument for operand_decode(); NULL: the machine's records have text. */
	size_t (*decode)(const uint8_t *in, size_t len, uint64_t addr, int bits, dof_argloc_t *loc);
	/* Parse an operand after its size. Set al_size if it is 0 and the operand implies it. */
	bool (*parse)(struct text *t, int bits, dof_argloc_t *loc);
};

extern const struct operands operands_x86_64, operands_i386, operands_aarch64;

/* The machine for which this file is compiled. */
#if defined __x86_64__
#define OPERANDS_HERE (&operands_x86_64)
#elif defined __i386__
#define OPERANDS_HERE (&operands_i386)
#elif defined __aarch64__
#define OPERANDS_HERE (&operands_aarch64)
#endif

/*
 * Read one argument of a record.
 *	machine		the machine of the record
 *	in, len		the bytes from it to the end of the record
 *	addr		address of in[0] in the process
 *	loc		set to the operand. With base DOF_REG_IP, al_disp is the absolute address in
 *			the process; a writer of DOF subtracts the address of the DOF header
 * Return the number of bytes read, or 0 if this is no argument (the list's end, or damage).
 */
size_t operand_decode(const struct operands *machine, const uint8_t *in, size_t len, uint64_t addr,
		      dof_argloc_t *loc);

/* Look up the address of a symbol that an argument names. Return false if it is unknown. */
typedef bool operand_symbol(void *context, const char *name, size_t len, uint64_t *address);

/*
 * Read one argument of a SystemTap note.
 *	machine		the machine of the note
 *	in, len		the text from the argument, or a blank before it, to the end of the list
 *	symbol, context	looks up addresses in the process; NULL: all symbols are unknown
 *	loc		set as by operand_decode(); DOF_LOC_NONE if the operand is not supported
 * Return the number of characters read, or 0 at the end of the list.
 */
size_t operand_text(const struct operands *machine, const char *in, size_t len,
		    operand_symbol *symbol, void *context, dof_argloc_t *loc);

/* Convert a constant to its value in the size and signedness of loc. */
void operand_constant(dof_argloc_t *loc);

/*
 * Write one argument of x86: a register, or memory with a base register other than DOF_REG_IP and
 * no index.
 *	loc		the operand: DOF_LOC_REG, DOF_LOC_MEM, or in 64-bit objects DOF_LOC_XMM
 *	bits		32 or 64
 *	out		a buffer of OPERAND_MAXLEN bytes
 * Return the number of bytes written, or 0 if loc is none of these.
 */
size_t operand_x86_encode(const dof_argloc_t *loc, int bits, uint8_t *out);

#endif
