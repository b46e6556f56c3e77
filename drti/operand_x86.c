/* SPDX-License-Identifier: MIT */
/*
 * operand_x86.c - reads and writes the instructions that encode the operands of a probe's
 * arguments, on x86-64 and i386.
 */
#include <dtrace/site.h>
#include "operand_text.h"

/* An instruction that is being read: its prefixes, and its remaining bytes. */
struct insn {
	const uint8_t *at, *end;
	uint64_t addr; /* of *at in the process */
	int bits;
	uint8_t rex;
	bool tls;
};

#define REX_B 1
#define REX_X 2
#define REX_R 4
#define REX_W 8

static bool insn_byte(struct insn *in, uint8_t *out)
{
	if (in->at == in->end)
		return false;
	*out = *in->at++;
	in->addr++;
	return true;
}

/* Read a little-endian number of n bytes, sign-extended. */
static bool insn_number(struct insn *in, unsigned int n, int64_t *out)
{
	uint64_t value = 0;
	uint8_t byte = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (!insn_byte(in, &byte))
			return false;
		value |= (uint64_t)byte << (8 * i);
	}
	if (n < 8 && (byte & 0x80))
		value |= ~0ULL << (8 * n);
	*out = (int64_t)value;
	return true;
}

/* Read the prefixes, and the opcode into *opcode. */
static bool insn_prefixes(struct insn *in, uint8_t *opcode)
{
	if (!insn_byte(in, opcode))
		return false;
	if (*opcode == 0x64 || *opcode == 0x65) {
		in->tls = true;
		if (!insn_byte(in, opcode))
			return false;
	}
	if (in->bits == 64 && (*opcode & 0xf0) == 0x40) {
		in->rex = *opcode;
		return insn_byte(in, opcode);
	}
	return true;
}

static void memory_absolute(struct insn *in, dof_argloc_t *loc, int64_t address)
{
	/* The thread pointer is added to an offset, not to an address relative to the DOF. */
	loc->al_base = in->tls ? DOF_REG_NONE : DOF_REG_IP;
	loc->al_disp = in->bits == 32 && !in->tls ? (int64_t)(uint32_t)address : address;
}

static bool memory_sib(struct insn *in, uint8_t mod, dof_argloc_t *loc)
{
	uint8_t sib, base, index;
	int64_t disp = 0;

	if (!insn_byte(in, &sib))
		return false;
	base = sib & 7;
	index = ((sib >> 3) & 7) | (in->rex & REX_X ? 8 : 0);
	loc->al_scale = 1 << (sib >> 6);
	loc->al_index = index == DOF_REG_SP ? DOF_REG_NONE : index;
	loc->al_base = base | (in->rex & REX_B ? 8 : 0);
	if (mod == 0 && base == DOF_REG_BP) {
		if (!insn_number(in, 4, &disp))
			return false;
		loc->al_base = DOF_REG_NONE;
		loc->al_disp = disp;
		if (loc->al_index == DOF_REG_NONE)
			memory_absolute(in, loc, disp);
		return true;
	}
	return mod == 0 || insn_number(in, mod == 1 ? 1 : 4, &loc->al_disp);
}

/*
 * Read a memory operand without base register: relative to the next instruction, or absolute in
 * 32-bit code.
 */
static bool memory_direct(struct insn *in, dof_argloc_t *loc)
{
	int64_t disp;

	if (!insn_number(in, 4, &disp))
		return false;
	memory_absolute(in, loc, in->bits == 64 ? (int64_t)in->addr + disp : disp);
	return true;
}

static bool memory(struct insn *in, uint8_t modrm, dof_argloc_t *loc)
{
	uint8_t mod = modrm >> 6, rm = modrm & 7;

	loc->al_kind = DOF_LOC_MEM;
	if (in->tls)
		loc->al_flags |= DOF_LOCF_TLS;
	if (rm == DOF_REG_SP)
		return memory_sib(in, mod, loc);
	if (mod == 0 && rm == DOF_REG_BP)
		return memory_direct(in, loc);
	loc->al_base = rm | (in->rex & REX_B ? 8 : 0);
	return mod == 0 || insn_number(in, mod == 1 ? 1 : 4, &loc->al_disp);
}

/*
 * Return the pair of a register: GCC keeps 8 bytes of a 32-bit process in two registers that are
 * consecutive in its own order.
 */
bool operand_x86_pair(dof_argloc_t *loc)
{
	static const uint8_t order[] = {DOF_REG_AX, DOF_REG_DX, DOF_REG_CX, DOF_REG_BX,
					DOF_REG_SI, DOF_REG_DI, DOF_REG_BP};

	for (size_t i = 0; i + 1 < sizeof order; i++) {
		if (order[i] != loc->al_base)
			continue;
		loc->al_kind = DOF_LOC_PAIR;
		loc->al_index = order[i + 1];
		return true;
	}
	return false;
}

static bool in_register(struct insn *in, uint8_t reg, dof_argloc_t *loc)
{
	loc->al_kind = DOF_LOC_REG;
	loc->al_base = reg;
	return in->bits == 64 || loc->al_size < 8 || operand_x86_pair(loc);
}

static bool constant(struct insn *in, unsigned int bytes, dof_argloc_t *loc)
{
	loc->al_kind = DOF_LOC_CONST;
	return insn_number(in, bytes, &loc->al_disp);
}

/* Read a load from the GOT that the linker has turned into an address. */
static bool address(struct insn *in, uint8_t modrm, dof_argloc_t *loc)
{
	if (!memory(in, modrm, loc) || loc->al_base != DOF_REG_IP)
		return false;
	loc->al_kind = DOF_LOC_CONST;
	loc->al_base = DOF_REG_NONE;
	return true;
}

/* Read mov $constant,%rcx without ModRM, which is sign-extended only in full size. */
static bool constant_short(struct insn *in, dof_argloc_t *loc)
{
	if (in->rex & REX_W)
		return constant(in, 8, loc);
	if (!constant(in, 4, loc))
		return false;
	loc->al_disp = (int64_t)(uint32_t)loc->al_disp;
	return true;
}

/* Read the rest of movq %xmm,%rcx: a floating-point argument of a rewritten call. */
static bool in_xmm(struct insn *in, dof_argloc_t *loc)
{
	uint8_t rex, escape, opcode, modrm;

	if (in->bits != 64 || !insn_byte(in, &rex) || !insn_byte(in, &escape) ||
	    !insn_byte(in, &opcode) || !insn_byte(in, &modrm))
		return false;
	if ((rex & ~REX_R) != (0x40 | REX_W) || escape != 0x0f || opcode != 0x7e ||
	    (modrm & 0xc7) != 0xc1)
		return false;
	loc->al_kind = DOF_LOC_XMM;
	loc->al_base = ((modrm >> 3) & 7) | (rex & REX_R ? 8 : 0);
	return true;
}

static bool insn_operand(struct insn *in, dof_argloc_t *loc)
{
	uint8_t opcode, modrm;

	if (!insn_prefixes(in, &opcode))
		return false;
	if (opcode == 0x66)
		return in_xmm(in, loc);
	if ((opcode & 0xf8) == 0xb8)
		return constant_short(in, loc);
	if (opcode == 0x0f && (!insn_byte(in, &opcode) || opcode != 0xaf))
		return false;
	if (!insn_byte(in, &modrm))
		return false;
	if (opcode == 0xc7 || opcode == 0x69)
		return constant(in, 4, loc);
	if (opcode == 0x6b)
		return constant(in, 1, loc);
	if (opcode == 0x89)
		return in_register(in, ((modrm >> 3) & 7) | (in->rex & REX_R ? 8 : 0), loc);
	if (opcode == 0x8d)
		return address(in, modrm, loc);
	if (opcode != 0x8b && opcode != 0xaf)
		return false;
	if (modrm >> 6 == 3)
		return in_register(in, (modrm & 7) | (in->rex & REX_B ? 8 : 0), loc);
	return memory(in, modrm, loc);
}

static size_t decode(const uint8_t *in, size_t len, uint64_t addr, int bits, dof_argloc_t *loc)
{
	struct insn insn = {.at = in, .end = in + len, .addr = addr, .bits = bits};
	uint8_t type;

	if (!insn_byte(&insn, &type) || (type & ~0x0f) != DTRACE_SITE_ARG)
		return 0;
	*loc = (dof_argloc_t){
		.al_size = 1 << (type & DTRACE_SITE_ARGSIZE),
		.al_flags = (type & DTRACE_SITE_ARGSIGNED ? DOF_LOCF_SIGNED : 0) |
			    (type & DTRACE_SITE_ARGFLOAT ? DOF_LOCF_FLOAT : 0),
		.al_base = DOF_REG_NONE,
		.al_index = DOF_REG_NONE,
		.al_scale = 1,
	};
	if (!insn_operand(&insn, loc))
		return 0;
	if (loc->al_kind == DOF_LOC_CONST)
		operand_constant(loc);
	return insn.at - in;
}

static uint8_t encode_type(const dof_argloc_t *loc)
{
	uint8_t type = DTRACE_SITE_ARG;

	while (1 << (type & DTRACE_SITE_ARGSIZE) < loc->al_size)
		type++;
	if (loc->al_flags & DOF_LOCF_SIGNED)
		type |= DTRACE_SITE_ARGSIGNED;
	if (loc->al_flags & DOF_LOCF_FLOAT)
		type |= DTRACE_SITE_ARGFLOAT;
	return type;
}

static size_t encode_xmm(const dof_argloc_t *loc, uint8_t *out)
{
	*out++ = encode_type(loc);
	*out++ = 0x66;
	*out++ = 0x40 | REX_W | (loc->al_base & 8 ? REX_R : 0);
	*out++ = 0x0f;
	*out++ = 0x7e;
	*out++ = 0xc0 | (loc->al_base & 7) << 3 | DOF_REG_CX;
	return 6;
}

size_t operand_x86_encode(const dof_argloc_t *loc, int bits, uint8_t *out)
{
	bool in_memory = loc->al_kind == DOF_LOC_MEM;
	uint8_t *p = out;

	if (loc->al_kind == DOF_LOC_XMM && loc->al_base < 16 && bits == 64)
		return encode_xmm(loc, out);
	if (loc->al_kind != DOF_LOC_REG && !(in_memory && loc->al_index == DOF_REG_NONE))
		return 0;
	if (loc->al_base > DOF_REG_R15)
		return 0;
	*p++ = encode_type(loc);
	if (bits == 64) {
		*p++ = 0x40 | REX_W | (loc->al_base & 8 ? REX_B : 0);
		*p++ = 0x8b;
	} else {
		*p++ = 0x0f;
		*p++ = 0xaf;
	}
	*p++ = (in_memory ? 0x80 : 0xc0) | DOF_REG_CX << 3 | (loc->al_base & 7);
	if (!in_memory)
		return p - out;
	if ((loc->al_base & 7) == DOF_REG_SP)
		*p++ = 0x24;
	for (int i = 0; i < 4; i++)
		*p++ = (uint32_t)loc->al_disp >> (8 * i);
	return p - out;
}

const struct operands operands_x86_64 = {64, decode, operand_x86_parse};
const struct operands operands_i386 = {32, decode, operand_x86_parse};
