/* SPDX-License-Identifier: MIT */
/* arch_x86.c - probe calls in the machine code of x86-64 and i386. */
#include <elf.h>
#include <string.h>
#include "arch_x86.h"
#include "operand.h"

#define X86_WORDS 6 /* arguments recorded of a probe that nothing is known of */

bool arch_x86_is_none(uint32_t type)
{
	return type == R_X86_64_NONE; /* like R_386_NONE */
}

uint32_t arch_x86_pc_type(int model)
{
	return model == 64 ? R_X86_64_PC32 : R_386_PC32;
}

/* ---- finding ---- */

/* call rel32, jmp rel32, jcc rel32: the relocation is a distance from its end. */
static struct arch_site find_direct(const uint8_t *code, uint64_t offset)
{
	struct arch_site site = { .call = ARCH_NOT };

	if (offset >= 1 && code[offset - 1] == 0xe8)
		site = (struct arch_site){ ARCH_CALL, offset - 1, 5, 0 };
	else if (offset >= 1 && code[offset - 1] == 0xe9)
		site = (struct arch_site){ ARCH_JUMP, offset - 1, 5, 0 };
	else if (offset >= 2 && code[offset - 2] == 0x0f && (code[offset - 1] & 0xf0) == 0x80)
		site = (struct arch_site){ ARCH_JUMP_IF, offset - 2, 6, 0 };
	return site;
}

/* call *slot, jmp *slot, where slot(%rip), slot or slot(%reg) is in the GOT. */
static struct arch_site find_indirect(int model, const uint8_t *code, uint64_t offset)
{
	uint8_t modrm, rm, kind;

	if (offset < 2 || code[offset - 2] != 0xff)
		return (struct arch_site){ .call = ARCH_NOT };
	modrm = code[offset - 1];
	rm = modrm & 7;
	kind = modrm & 0x38;
	if (!((modrm >> 6 == 0 && rm == 5) || (model == 32 && modrm >> 6 == 2 && rm != 4)))
		return (struct arch_site){ .call = ARCH_NOT };
	if (kind == 0x10)
		return (struct arch_site){ ARCH_CALL, offset - 2, 6, 0 };
	if (kind == 0x20)
		return (struct arch_site){ ARCH_JUMP, offset - 2, 6, 0 };
	return (struct arch_site){ .call = ARCH_NOT };
}

static bool is_direct(int model, uint32_t type)
{
	if (model == 64)
		return type == R_X86_64_PC32 || type == R_X86_64_PLT32;
	return type == R_386_PC32 || type == R_386_PLT32;
}

static bool is_indirect(int model, uint32_t type)
{
	if (model == 64)
		return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX;
	return type == R_386_GOT32 || type == R_386_GOT32X;
}

/* Where the trap goes in the bytes that arch_x86_rewrite makes. */
static unsigned int site_trap(enum arch_call call, bool enabled)
{
	return (call == ARCH_JUMP_IF ? 2 : 0) + (enabled ? 2 : 0);
}

struct arch_site arch_x86_find(int model, uint32_t type, int64_t addend, const uint8_t *code,
			       size_t size, uint64_t offset, bool enabled)
{
	struct arch_site site = { .call = ARCH_NOT };
	int32_t in_code;

	if (!code || size < 4 || offset > size - 4)
		return site;
	memcpy(&in_code, code + offset, sizeof(in_code));
	if (model == 32)
		addend = in_code;
	if (is_direct(model, type) && addend == -4)
		site = find_direct(code, offset);
	else if (is_indirect(model, type) && addend == (model == 64 ? -4 : 0))
		site = find_indirect(model, code, offset);
	site.trap = site_trap(site.call, enabled);
	return site;
}

/* ---- rewriting ---- */

/* "nop" of size bytes, as prefixes and 90: uprobes emulate it. */
static void write_nop(uint8_t *code, unsigned int size)
{
	memset(code, 0x66, size - 1);
	code[size - 1] = 0x90;
}

void arch_x86_rewrite(const struct arch_site *site, bool enabled, uint8_t *code)
{
	uint8_t *at = code + site->start, *end = at + site->size;

	if (site->call == ARCH_JUMP_IF) {
		/* 0f 8c rel32: the opposite condition jumps over what is done instead */
		at[0] = 0x70 | ((at[1] & 0x0f) ^ 1);
		at[1] = 4;
		at += 2;
	}
	if (enabled) {
		*at++ = 0x31; /* xor %eax,%eax */
		*at++ = 0xc0;
	}
	if (site->call != ARCH_CALL)
		*--end = 0xc3;
	if (site->call == ARCH_CALL && !enabled && site->size == 6)
		*--end = 0x90;
	write_nop(at, (unsigned int)(end - at));
}

/* ---- arguments ---- */

/* What the calling convention has used up. */
struct convention {
	int model;
	unsigned int integers; /* registers */
	unsigned int floats;
	unsigned int stack;	  /* bytes */
	unsigned int stack_start; /* above the stack pointer */
};

static void next_stack(struct convention *c, unsigned int size, dof_argloc_t *loc)
{
	unsigned int word = (unsigned int)c->model / 8;

	loc->al_kind = DOF_LOC_MEM;
	loc->al_base = DOF_REG_SP;
	loc->al_disp = c->stack_start + c->stack;
	c->stack += (size + word - 1) / word * word;
}

static void next_place(struct convention *c, struct value_class value, dof_argloc_t *loc)
{
	static const uint8_t registers[] = { DOF_REG_DI, DOF_REG_SI, DOF_REG_DX,
					     DOF_REG_CX, DOF_REG_R8, DOF_REG_R9 };

	if (c->model == 64 && value.kind == VALUE_INTEGER && c->integers < sizeof(registers)) {
		loc->al_kind = DOF_LOC_REG;
		loc->al_base = registers[c->integers++];
	} else if (c->model == 64 && value.kind == VALUE_FLOAT && c->floats < 8) {
		loc->al_kind = DOF_LOC_XMM;
		loc->al_base = (uint8_t)c->floats++;
	} else {
		next_stack(c, value.size, loc);
	}
}

static bool add_arg(struct convention *c, struct value_class value, struct bytes *args)
{
	dof_argloc_t loc = { .al_size = (uint8_t)value.size,
			     .al_base = DOF_REG_NONE,
			     .al_index = DOF_REG_NONE,
			     .al_scale = 1 };
	uint8_t code[OPERAND_MAXLEN];
	size_t len;

	if (value.kind == VALUE_OTHER)
		return false;
	if (value.kind == VALUE_FLOAT)
		loc.al_flags = DOF_LOCF_FLOAT;
	else if (value.is_signed)
		loc.al_flags = DOF_LOCF_SIGNED;
	next_place(c, value, &loc);
	len = operand_encode(&loc, c->model, code);
	bytes_add(args, code, len);
	return len;
}

int arch_x86_args(const struct provider_file *file, const struct provider_probe *probe, int model,
		  enum arch_call call, struct bytes *args)
{
	struct value_class word = { VALUE_INTEGER, (unsigned int)model / 8, false };
	unsigned int i, nargs = probe->typed ? probe->nargs : X86_WORDS;
	struct convention c = { .model = model };

	/* A tail call comes with the caller's return address on the stack. */
	if (call != ARCH_CALL)
		c.stack_start = word.size;
	for (i = 0; i < nargs; i++) {
		if (!add_arg(&c,
			     probe->typed
				     ? c_type_value(&file->typedefs, probe->args[i].type, model)
				     : word,
			     args))
			return (int)i + 1;
	}
	bytes_add(args, "", 1);
	return 0;
}
