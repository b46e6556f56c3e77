/* SPDX-License-Identifier: MIT */
/*
 * machine.h - the machines of programs with probes. Each machine_NAME.c has the differences: the
 * forms of calls and of their replacements, the operands of arguments, and their encoding in
 * records. The machine that dtrace itself runs on does not matter.
 */
#ifndef DT_USDT_MACHINE_H
#define DT_USDT_MACHINE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bytes.h"
#include "operand.h"
#include "provider_file.h"

/* The type of a relocation without effect, on every machine. */
#define MACHINE_RELOC_NONE 0

enum machine_call {
	MACHINE_NOT, /* the reference is no call */
	MACHINE_CALL,
	MACHINE_JUMP,	/* a tail call */
	MACHINE_JUMP_IF /* a tail call under a condition */
};

/* A call site. */
struct machine_site {
	enum machine_call call;
	uint64_t start;	   /* of the instruction in its section */
	unsigned int size; /* of the instruction */
	unsigned int trap; /* where in it, once rewritten, dtrace traps */
	unsigned int note; /* and where other tracers do */
};

/* The part of the C calling convention's registers and stack that arguments have used up. */
struct convention {
	unsigned int integers; /* registers */
	unsigned int floats;
	unsigned int stack; /* bytes above the stack pointer */
};

struct machine {
	const char *name;    /* as uname(1) and triplets have it */
	const char *aliases; /* other names, each after a blank */
	uint16_t elf_machine;
	int bits;	  /* 32 or 64 */
	const char *drti; /* the start-up object, in the folder of dtrace's libraries */
	bool traced;	  /* the kernel module traces its programs */
	const struct operands *operands;
	uint8_t record_kind;	  /* DTRACE_SITE_TEXT, or 0 */
	unsigned int note_trap;	  /* from the instruction of a note to the one of its record */
	uint32_t pc_reloc;	  /* relocation type of a 32-bit distance */
	uint32_t address_reloc;	  /* and of an address */
	unsigned int words;	  /* arguments recorded of a probe that nothing is known of */
	unsigned int return_size; /* bytes of the return address, where a jump leaves it */

	/*
	 * The stub for the result of an is-enabled call, if one instruction has no space for it:
	 * code with a trap at stub_trap. Size 0: the machine needs no stubs.
	 */
	const uint8_t *stub_code;
	unsigned int stub_size, stub_trap;

	/*
	 * Find the instruction of a relocation of the type at offset in a section's code, of which
	 * four bytes are readable. addend is the relocation's, if it has one. enabled: the callee
	 * is an is-enabled test. call is MACHINE_NOT if rewrite cannot handle the instruction.
	 */
	struct machine_site (*find)(uint32_t type, int64_t addend, const uint8_t *code,
				    uint64_t offset, bool enabled);
	/*
	 * Turn the call into NOPs; for an is-enabled probe, into an instruction that makes the
	 * result 0, and a NOP.
	 */
	void (*rewrite)(const struct machine_site *site, bool enabled, uint8_t *code);
	/* Determine the operand of the next argument by the calling convention. */
	void (*locate)(struct convention *c, struct value_class value, dof_argloc_t *loc);
	/* Append an argument in the form of records. Return false if it cannot be encoded. */
	bool (*encode)(const dof_argloc_t *loc, struct bytes *args);
	/* Append an operand in the machine's assembly syntax. */
	void (*print)(struct bytes *text, const dof_argloc_t *loc);
};

extern const struct machine machine_x86_64, machine_i386, machine_aarch64;

/* Return the machine of a file, or NULL if its programs cannot have probes. */
const struct machine *machine_of(const GElf_Ehdr *header);
/* Return the machine by one of its names, or by a triplet that begins with it, or NULL. */
const struct machine *machine_named(const char *name);
/* Return the default machine of programs. bits is 32, 64 or 0. */
const struct machine *machine_default(int bits);

/* Call find() after checking the bounds of the section, whose code may be NULL. */
struct machine_site machine_find(const struct machine *machine, uint32_t type, int64_t addend,
				 const uint8_t *code, size_t size, uint64_t offset, bool enabled);

/*
 * Append the arguments of a callee's probe to args in the form of site records (site.h), including
 * the terminating 0, and to text in the form of notes. The operands follow from the calling
 * convention and the declared types; without a declaration, machine words are recorded. Return 0,
 * or i + 1 if argument i cannot be recorded.
 */
int machine_args(const struct machine *machine, const struct provider_file *file,
		 const struct provider_probe *probe, enum machine_call call, struct bytes *args,
		 struct bytes *text);

/*
 * Append an argument in the form of SystemTap's notes, after a blank if text is not empty. An
 * absolute operand is printed as its address.
 */
void machine_print(const struct machine *machine, struct bytes *text, const dof_argloc_t *loc);

#endif
