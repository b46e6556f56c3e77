/* SPDX-License-Identifier: MIT */
/* x86_code.c - calls, NOPs and operands of x86, for both word sizes. */
#include <string.h>
#include "x86_code.h"

/* ---- finding ---- */

/* Return a site, with the offsets of the NOPs that x86_rewrite() writes. */
static struct machine_site site_at(enum machine_call call, uint64_t start, unsigned int size,
				   bool enabled)
{
	const unsigned int note = call == MACHINE_JUMP_IF ? 2 : 0;

	return (struct machine_site){call, start, size, note + (enabled ? 2 : 1), note};
}

struct machine_site x86_find_direct(const uint8_t *code, uint64_t offset, bool enabled)
{
	if (offset >= 1 && code[offset - 1] == 0xe8)
		return site_at(MACHINE_CALL, offset - 1, 5, enabled);
	if (offset >= 1 && code[offset - 1] == 0xe9)
		return site_at(MACHINE_JUMP, offset - 1, 5, enabled);
	if (offset >= 2 && code[offset - 2] == 0x0f && (code[offset - 1] & 0xf0) == 0x80)
		return site_at(MACHINE_JUMP_IF, offset - 2, 6, enabled);
	return (struct machine_site){.call = MACHINE_NOT};
}

/* Find call *entry or jmp *entry: entry(%rip), entry or entry(%reg). */
struct machine_site x86_find_indirect(const uint8_t *code, uint64_t offset, bool based,
				      bool enabled)
{
	const struct machine_site none = {.call = MACHINE_NOT};
	uint8_t modrm, rm, kind;

	if (offset < 2 || code[offset - 2] != 0xff)
		return none;
	modrm = code[offset - 1];
	rm = modrm & 7;
	kind = modrm & 0x38;
	if (!((modrm >> 6 == 0 && rm == 5) || (based && modrm >> 6 == 2 && rm != 4)))
		return none;
	if (kind == 0x10)
		return site_at(MACHINE_CALL, offset - 2, 6, enabled);
	return kind == 0x20 ? site_at(MACHINE_JUMP, offset - 2, 6, enabled) : none;
}

/* ---- rewriting ---- */

/* Write a NOP of size bytes, as prefixes and 90, which uprobes emulate. */
static void write_nop(uint8_t *code, unsigned int size)
{
	memset(code, 0x66, size - 1);
	code[size - 1] = 0x90;
}

void x86_rewrite(const struct machine_site *site, bool enabled, uint8_t *code)
{
	uint8_t *at = code + site->start, *end = at + site->size;

	if (site->call == MACHINE_JUMP_IF) {
		/* 0f 8c rel32: the opposite condition jumps over what is done instead */
		at[0] = 0x70 | ((at[1] & 0x0f) ^ 1);
		at[1] = 4;
		at += 2;
	}
	if (enabled) {
		*at++ = 0x31; /* xor %eax,%eax */
		*at++ = 0xc0;
	} else {
		*at++ = 0x90; /* the note's */
	}
	if (site->call != MACHINE_CALL)
		*--end = 0xc3;
	write_nop(at, (unsigned int)(end - at));
}

/* ---- arguments ---- */

void x86_locate_stack(struct convention *c, unsigned int size, unsigned int word, dof_argloc_t *loc)
{
	loc->al_kind = DOF_LOC_MEM;
	loc->al_base = DOF_REG_SP;
	loc->al_disp = c->stack;
	c->stack += (size + word - 1) / word * word;
}

bool x86_encode(const dof_argloc_t *loc, int bits, struct bytes *args)
{
	uint8_t code[OPERAND_MAXLEN];
	size_t len = operand_x86_encode(loc, bits, code);

	bytes_add(args, code, len);
	return len;
}

/* ---- memory operands as text ---- */

static void print_memory(struct bytes *text, const dof_argloc_t *loc, const char *const *names,
			 const char *segment)
{
	if (loc->al_flags & DOF_LOCF_TLS)
		bytes_printf(text, "%%%s:", segment);
	if (loc->al_base == DOF_REG_IP) {
		bytes_printf(text, "0x%llx", (unsigned long long)loc->al_disp);
		return;
	}
	if (loc->al_disp)
		bytes_printf(text, "%lld", (long long)loc->al_disp);
	if (loc->al_base == DOF_REG_NONE && loc->al_index == DOF_REG_NONE)
		return;
	bytes_printf(text, "(");
	if (loc->al_base != DOF_REG_NONE)
		bytes_printf(text, "%%%s", names[loc->al_base & 15]);
	if (loc->al_index != DOF_REG_NONE)
		bytes_printf(text, ",%%%s,%u", names[loc->al_index & 15], loc->al_scale);
	bytes_printf(text, ")");
}

void x86_print(struct bytes *text, const dof_argloc_t *loc, const char *const *names,
	       const char *segment)
{
	if (loc->al_kind == DOF_LOC_CONST)
		bytes_printf(text, "$%lld", (long long)loc->al_disp);
	else if (loc->al_kind == DOF_LOC_XMM)
		bytes_printf(text, "%%xmm%u", loc->al_base);
	else if (loc->al_kind == DOF_LOC_MEM)
		print_memory(text, loc, names, segment);
	else
		bytes_printf(text, "%%%s", names[loc->al_base & 15]);
}
