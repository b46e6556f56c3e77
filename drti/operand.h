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

#endif
