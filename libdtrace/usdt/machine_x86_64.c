/* SPDX-License-Identifier: MIT */
/* machine_x86_64.c - x86-64: its relocations have addends, its arguments begin in registers. */
#include "x86_code.h"

static struct machine_site find(uint32_t type, int64_t addend, const uint8_t *code, uint64_t offset,
				bool enabled)
{
	if (addend != -4) /* distances are from the instruction's end */
		return (struct machine_site){.call = MACHINE_NOT};
	if (type == R_X86_64_PC32 || type == R_X86_64_PLT32)
		return x86_find_direct(code, offset, enabled);
	if (type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX)
		return x86_find_indirect(code, offset, false, enabled);
	return (struct machine_site){.call = MACHINE_NOT};
}

static void locate(struct convention *c, struct value_class value, dof_argloc_t *loc)
{
	static const uint8_t registers[] = {DOF_REG_DI, DOF_REG_SI, DOF_REG_DX,
					    DOF_REG_CX, DOF_REG_R8, DOF_REG_R9};

	if (value.kind == VALUE_INTEGER && c->integers < sizeof(registers)) {
		loc->al_kind = DOF_LOC_REG;
		loc->al_base = registers[c->integers++];
	} else if (value.kind == VALUE_FLOAT && c->floats < 8) {
		loc->al_kind = DOF_LOC_XMM;
		loc->al_base = (uint8_t)c->floats++;
	} else {
		x86_locate_stack(c, value.size, 8, loc);
	}
}

static bool encode(const dof_argloc_t *loc, struct bytes *args)
{
	return x86_encode(loc, 64, args);
}

static void print(struct bytes *text, const dof_argloc_t *loc)
{
	static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
					    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

	x86_print(text, loc, names, "fs");
}

const struct machine machine_x86_64 = {
	.name = "x86_64",
	.aliases = "amd64 x86-64",
	.elf_machine = EM_X86_64,
	.bits = 64,
	.drti = "drti.o",
	.traced = true,
	.operands = &operands_x86_64,
	.note_trap = 1,
	.pc_reloc = R_X86_64_PC32,
	.address_reloc = R_X86_64_64,
	.words = 6,
	.return_size = 8,
	.find = find,
	.rewrite = x86_rewrite,
	.locate = locate,
	.encode = encode,
	.print = print,
};
