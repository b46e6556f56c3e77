/* SPDX-License-Identifier: MIT */
/*
 * machine.h - the machines that programs with probes run on. What is different between them is in
 * machine_NAME.c: how calls look and what becomes of them, where arguments are, how records say so.
 * The machine that dtrace itself runs on does not matter.
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

/* The type of a relocation that does nothing, on every machine. */
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

/* What the C calling convention has used up. */
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
	 * Where one instruction has no room for the result of an is-enabled call, the call gets a
	 * function of its own: this code, trapped at stub_trap. Size 0: it is not needed.
	 */
	const uint8_t *stub_code;
	unsigned int stub_size, stub_trap;

	/*
	 * find - the instruction that a relocation of the type at offset of a section's code
	 * belongs to; four bytes can be read there. addend: the relocation's, if it has one.
	 * enabled: the function called is an is-enabled probe's. call is MACHINE_NOT if it is no
	 * call that rewrite can deal with.
	 */
	struct machine_site (*find)(uint32_t type, int64_t addend, const uint8_t *code,
				    uint64_t offset, bool enabled);
	/*
	 * rewrite - turn the call into NOPs, or for an is-enabled probe into an instruction that
	 * makes the result 0, and a NOP.
	 */
	void (*rewrite)(const struct machine_site *site, bool enabled, uint8_t *code);
	/* place - where the calling convention has the next argument, of a size and kind. */
	void (*locate)(struct convention *c, struct value_class value, dof_argloc_t *loc);
	/* encode - append an argument in the form of records; false: it cannot be. */
	bool (*encode)(const dof_argloc_t *loc, struct bytes *args);
	/* print - append a place as the machine's assembly writes it. */
	void (*print)(struct bytes *text, const dof_argloc_t *loc);
};

extern const struct machine machine_x86_64, machine_i386, machine_aarch64;

/* machine_of - the machine of a file, or NULL if its programs cannot have probes. */
const struct machine *machine_of(const GElf_Ehdr *header);
/* machine_named - by one of its names, or by a triplet that begins with it; NULL: not known. */
const struct machine *machine_named(const char *name);
/* machine_default - what programs are for if nothing says so. bits: 32, 64 or 0. */
const struct machine *machine_default(int bits);

/*
 * machine_find - find with the bounds of the section checked, whose code may be NULL.
 */
struct machine_site machine_find(const struct machine *machine, uint32_t type, int64_t addend,
				 const uint8_t *code, size_t size, uint64_t offset, bool enabled);

/*
 * machine_args - append the arguments of a called probe in the form of site records (site.h), the
 * 0 at the end included, and to text in that of notes: what the C calling convention says about the
 * declared types, or some words if there is no declaration. Returns 0, or i + 1 if argument i cannot
 * be recorded.
 */
int machine_args(const struct machine *machine, const struct provider_file *file,
		 const struct provider_probe *probe, enum machine_call call, struct bytes *args,
		 struct bytes *text);

/*
 * machine_print - append an argument in the way of SystemTap's notes, after a blank if there is
 * text already. An absolute place is its address.
 */
void machine_print(const struct machine *machine, struct bytes *text, const dof_argloc_t *loc);

#endif
