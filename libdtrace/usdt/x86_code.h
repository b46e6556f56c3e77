/* SPDX-License-Identifier: MIT */
/* x86_code.h - what is the same in the code of x86-64 and of i386. */
#ifndef DT_USDT_X86_CODE_H
#define DT_USDT_X86_CODE_H

#include "machine.h"

/* x86_find_direct - call or jmp rel32, jcc rel32, whose distance is at offset. */
struct machine_site x86_find_direct(const uint8_t *code, uint64_t offset, bool enabled);
/*
 * x86_find_indirect - call or jmp by a slot of the GOT whose place is at offset. based: it may be
 * relative to a register.
 */
struct machine_site x86_find_indirect(const uint8_t *code, uint64_t offset, bool based,
				      bool enabled);

/* struct machine's rewrite. */
void x86_rewrite(const struct machine_site *site, bool enabled, uint8_t *code);

/* x86_locate_stack - the next argument is on the stack. word: 4 or 8. */
void x86_locate_stack(struct convention *c, unsigned int size, unsigned int word,
		      dof_argloc_t *loc);
/* x86_encode - an instruction of the form in site.h. bits: 32 or 64. */
bool x86_encode(const dof_argloc_t *loc, int bits, struct bytes *args);
/* x86_print - names: of the 16 registers. segment: that thread-local memory is in. */
void x86_print(struct bytes *text, const dof_argloc_t *loc, const char *const *names,
	       const char *segment);

#endif
