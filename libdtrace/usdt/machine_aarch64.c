/* SPDX-License-Identifier: MIT */
/*
 * machine_aarch64.c - aarch64, little-endian: all instructions have four bytes, and records have
 * text.
 *
 * A call becomes a NOP. A tail call becomes "ret", which is trapped: uprobes emulate it too.
 * Neither has space for the result of an is-enabled call. Therefore an is-enabled call goes to a
 * stub, whose result is 0 unless its NOP is trapped.
 */
#include <dtrace/site.h>
#include <string.h>
#include "machine.h"

#define INSN_NOP 0xd503201fu
#define INSN_RET 0xd65f03c0u
#define REG_SP	 31

static const uint8_t stub_code[] = {
	0x00, 0x00, 0x80, 0x52, /* mov w0, #0 */
	0x1f, 0x20, 0x03, 0xd5, /* nop */
	0xc0, 0x03, 0x5f, 0xd6, /* ret */
};

static struct machine_site find(uint32_t type, int64_t addend, const uint8_t *code, uint64_t offset,
				bool enabled)
{
	struct machine_site site = {.call = MACHINE_NOT, .start = offset, .size = 4};
	uint32_t insn;

	(void)enabled;
	memcpy(&insn, code + offset, sizeof(insn));
	if (addend || offset % 4)
		return site;
	if (type == R_AARCH64_CALL26 && insn >> 26 == 0x25)
		site.call = MACHINE_CALL;
	else if (type == R_AARCH64_JUMP26 && insn >> 26 == 0x05)
		site.call = MACHINE_JUMP;
	return site;
}

static void rewrite(const struct machine_site *site, bool enabled, uint8_t *code)
{
	const uint32_t insn = site->call == MACHINE_CALL ? INSN_NOP : INSN_RET;

	if (!enabled)
		memcpy(code + site->start, &insn, sizeof(insn));
}

static void locate(struct convention *c, struct value_class value, dof_argloc_t *loc)
{
	if (value.kind == VALUE_INTEGER && c->integers < 8) {
		loc->al_kind = DOF_LOC_REG;
		loc->al_base = (uint8_t)c->integers++;
	} else if (value.kind == VALUE_FLOAT && c->floats < 8) {
		loc->al_kind = DOF_LOC_XMM;
		loc->al_base = (uint8_t)c->floats++;
	} else {
		loc->al_kind = DOF_LOC_MEM;
		loc->al_base = REG_SP;
		loc->al_disp = c->stack;
		c->stack += 8;
	}
}

static void print_x(struct bytes *text, uint8_t number)
{
	if (number == REG_SP)
		bytes_printf(text, "sp");
	else
		bytes_printf(text, "x%u", number);
}

static void print_memory(struct bytes *text, const dof_argloc_t *loc)
{
	bytes_printf(text, "[");
	print_x(text, loc->al_base);
	if (loc->al_index != DOF_REG_NONE) {
		bytes_printf(text, ", ");
		print_x(text, loc->al_index);
		if (loc->al_scale > 1)
			bytes_printf(text, ", lsl %d", __builtin_ctz(loc->al_scale));
	} else if (loc->al_disp) {
		bytes_printf(text, ", %lld", (long long)loc->al_disp);
	}
	bytes_printf(text, "]");
}

static void print(struct bytes *text, const dof_argloc_t *loc)
{
	if (loc->al_kind == DOF_LOC_CONST)
		bytes_printf(text, "%lld", (long long)loc->al_disp);
	else if (loc->al_kind == DOF_LOC_XMM)
		bytes_printf(text, "%c%u", loc->al_size == 4 ? 's' : 'd', loc->al_base);
	else if (loc->al_kind == DOF_LOC_MEM)
		print_memory(text, loc);
	else
		print_x(text, loc->al_base);
}

static bool encode(const dof_argloc_t *loc, struct bytes *args)
{
	machine_print(&machine_aarch64, args, loc);
	return true;
}

const struct machine machine_aarch64 = {
	.name = "aarch64",
	.aliases = "arm64",
	.elf_machine = EM_AARCH64,
	.bits = 64,
	.drti = "aarch64/drti.o",
	.operands = &operands_aarch64,
	.record_kind = DTRACE_SITE_TEXT,
	.note_trap = 4,
	.pc_reloc = R_AARCH64_PREL32,
	.address_reloc = R_AARCH64_ABS64,
	.words = 8,
	.stub_code = stub_code,
	.stub_size = sizeof(stub_code),
	.stub_trap = 4,
	.find = find,
	.rewrite = rewrite,
	.locate = locate,
	.encode = encode,
	.print = print,
};
