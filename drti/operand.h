/* SPDX-License-Identifier: MIT */
/*
 * operand.h - the arguments of a site record (dtrace/site.h) to and from the locations of DOF.
 * Needs no libc.
 */
#ifndef DRTI_OPERAND_H
#define DRTI_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <dtrace/dof.h>

#define OPERAND_MAXLEN	16	/* bytes that an argument can take */

/*
 * Read one argument.
 *	in, len		the bytes from it to the end of the record
 *	addr		address of in[0] in the process
 *	bits		32 or 64: of the process
 *	loc		set to where the argument is. With base DOF_REG_IP, al_disp is the
 *			absolute address in the process: whoever writes it into DOF subtracts
 *			the address of the DOF header
 * Returns the bytes read, 0 if this is no argument (the list's end, or damage).
 */
size_t operand_decode(const uint8_t *in, size_t len, uint64_t addr, int bits, dof_argloc_t *loc);

/*
 * Write one argument: a register, or memory with a base register other than DOF_REG_IP and no
 * index.
 *	loc		where it is: DOF_LOC_REG, DOF_LOC_MEM, or in 64-bit objects DOF_LOC_XMM
 *	bits		32 or 64
 *	out		room for OPERAND_MAXLEN bytes
 * Returns the bytes written, 0 if loc is none of these.
 */
size_t operand_encode(const dof_argloc_t *loc, int bits, uint8_t *out);

/* Where a symbol that an argument names is; false if that is not known. */
typedef bool operand_symbol(void *context, const char *name, size_t len, uint64_t *address);

/*
 * operand_text - read one argument of a SystemTap note.
 *	in, len		the text from the argument, or a blank before it, to the end of the list
 *	bits		32 or 64: of the process
 *	symbol, context	tells addresses in the process; NULL: none is known
 *	loc		set as by operand_decode; DOF_LOC_NONE if the place is not one that we know
 * Returns the characters read, 0 at the end of the list.
 */
size_t operand_text(const char *in, size_t len, int bits, operand_symbol *symbol, void *context,
		    dof_argloc_t *loc);

/*
 * operand_pair - make loc, a register of a 32-bit process, the pair that holds 8 bytes; false: there
 * is none.
 */
bool operand_pair(dof_argloc_t *loc);
/* operand_constant - give a constant the value that it has in its size and signedness. */
void operand_constant(dof_argloc_t *loc);

#endif
