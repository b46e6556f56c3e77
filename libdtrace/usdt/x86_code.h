/* SPDX-License-Identifier: MIT */
/* x86_code.h - code shared by x86-64 and i386. */
#ifndef DT_USDT_X86_CODE_H
#define DT_USDT_X86_CODE_H

#include "machine.h"

/* Find call or jmp rel32, or jcc rel32, whose distance is at offset. */
struct machine_site x86_find_direct(const uint8_t *code, uint64_t offset, bool enabled);
/*
 * Find call or jmp by a GOT entry whose address is at offset. based: the address may be relative to
 * a register.
 */
struct machine_site x86_find_indirect(const uint8_t *code, uint64_t offset, bool based,
				      bool enabled);

/* Rewrite a call: struct machine's rewrite. */
void x86_rewrite(const struct machine_site *site, bool enabled, uint8_t *code);

/* Return the operand of the next argument on the stack. word is 4 or 8. */
void x86_locate_stack(struct convention *c, unsigned int size, unsigned int word,
		      dof_argloc_t *loc);
/* Append an operand as an instruction, in the form of site.h. bits is 32 or 64. */
bool x86_encode(const dof_argloc_t *loc, int bits, struct bytes *args);
/* Print an operand. names has the 16 registers, and segment the register of thread-local memory. */
void x86_print(struct bytes *text, const dof_argloc_t *loc, const char *const *names,
	       const char *segment);

#endif
