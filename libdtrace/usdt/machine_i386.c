/* SPDX-License-Identifier: MIT */
/* machine_i386.c - i386: addends of relocations are in the code, and arguments are on the stack. */
#include <string.h>
#include "x86_code.h"

static struct machine_site find(uint32_t type, int64_t unused, const uint8_t *code, uint64_t offset,
				bool enabled)
{
	int32_t addend;

	(void)unused;
	memcpy(&addend, code + offset, sizeof(addend));
	if ((type == R_386_PC32 || type == R_386_PLT32) && addend == -4)
		return x86_find_direct(code, offset, enabled);
	if ((type == R_386_GOT32 || type == R_386_GOT32X) && addend == 0)
		return x86_find_indirect(code, offset, true, enabled);
	return (struct machine_site){.call = MACHINE_NOT};
}

static void locate(struct convention *c, struct value_class value, dof_argloc_t *loc)
{
	x86_locate_stack(c, value.size, 4, loc);
}

static bool encode(const dof_argloc_t *loc, struct bytes *args)
{
	return x86_encode(loc, 32, args);
}

static void print(struct bytes *text, const dof_argloc_t *loc)
{
	static const char *const names[16] = {"eax", "ecx", "edx", "ebx", "esp", "ebp",
					      "esi", "edi", "?",   "?",	  "?",	 "?",
					      "?",   "?",   "?",   "?"};

	x86_print(text, loc, names, "gs");
}

const struct machine machine_i386 = {
	.name = "i386",
	.aliases = "i486 i586 i686 x86",
	.elf_machine = EM_386,
	.bits = 32,
	.drti = "drti32.o",
	.traced = true,
	.operands = &operands_i386,
	.note_trap = 1,
	.pc_reloc = R_386_PC32,
	.address_reloc = R_386_32,
	.words = 6,
	.return_size = 4,
	.find = find,
	.rewrite = x86_rewrite,
	.locate = locate,
	.encode = encode,
	.print = print,
};
