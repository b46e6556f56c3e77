/* SPDX-License-Identifier: MIT */
/*
 * arch_x86.h - probe calls in the machine code of x86-64 and i386: how they look, what becomes of
 * them, where their arguments are.
 */
#ifndef DT_USDT_ARCH_X86_H
#define DT_USDT_ARCH_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bytes.h"
#include "provider_file.h"

enum arch_call {
	ARCH_NOT, /* the reference is no call */
	ARCH_CALL,
	ARCH_JUMP,   /* a tail call */
	ARCH_JUMP_IF /* a tail call under a condition */
};

struct arch_site {
	enum arch_call call;
	uint64_t start;	   /* of the instruction in its section */
	unsigned int size; /* of the instruction */
	unsigned int trap; /* where in it, once rewritten, a tracer traps */
};

/* arch_x86_is_none - whether a relocation of the type does nothing. */
bool arch_x86_is_none(uint32_t type);

/*
 * arch_x86_find - the instruction that a relocation of the type at offset of a section's code
 * belongs to. The addend is that of the relocation, or of the code for an i386 object (model 32).
 * enabled: the function called is an is-enabled probe's. call is ARCH_NOT if it is no call that
 * arch_x86_rewrite can deal with.
 */
struct arch_site arch_x86_find(int model, uint32_t type, int64_t addend, const uint8_t *code,
			       size_t size, uint64_t offset, bool enabled);

/*
 * arch_x86_rewrite - turn the call into NOPs, or for an is-enabled probe into "xor %eax,%eax" and a
 * NOP.
 */
void arch_x86_rewrite(const struct arch_site *site, bool enabled, uint8_t *code);

/*
 * arch_x86_args - append the arguments of a called probe in the form of site records (site.h), the
 * 0 at the end included: what the C calling convention says about the declared types, or six words
 * if there is no declaration. Returns 0, or i + 1 if argument i cannot be recorded.
 */
int arch_x86_args(const struct provider_file *file, const struct provider_probe *probe, int model,
		  enum arch_call call, struct bytes *args);

/* arch_x86_pc_type - the relocation type of a 32-bit distance. */
uint32_t arch_x86_pc_type(int model);

#endif
