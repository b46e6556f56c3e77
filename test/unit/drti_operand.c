/* SPDX-License-Identifier: MIT */
/*
 * drti_operand.c - arguments of site records: what assemblers and linkers write for each operand,
 * and back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "operand.h"

#define ADDR 0x401000 /* of the argument in the process */

/* A row: bytes as objdump shows them, the first the type; what they mean. */
static const struct row {
	const char *text;
	int bits;
	uint8_t bytes[OPERAND_MAXLEN];
	uint8_t len;
	dof_argloc_t loc;
} rows[] = {
#define REG(reg) DOF_LOC_REG, .al_base = DOF_REG_##reg, .al_index = DOF_REG_NONE, .al_scale = 1
#define MEM(base, index, scale, disp)                                                           \
	DOF_LOC_MEM, .al_base = DOF_REG_##base, .al_index = DOF_REG_##index, .al_scale = scale, \
		     .al_disp = disp
#define CONST(value)                                                                     \
	DOF_LOC_CONST, .al_base = DOF_REG_NONE, .al_index = DOF_REG_NONE, .al_scale = 1, \
		       .al_disp = value
#define S .al_flags = DOF_LOCF_SIGNED
	{"mov %rax,%rcx", 64, {0x13, 0x48, 0x89, 0xc1}, 4, {REG(AX), .al_size = 8}},
	{"mov %rdi,%rcx", 64, {0x16, 0x48, 0x89, 0xf9}, 4, {REG(DI), .al_size = 4, S}},
	{"mov %r9,%rcx", 64, {0x10, 0x4c, 0x89, 0xc9}, 4, {REG(R9), .al_size = 1}},
	{"mov %r9,%rcx as a load", 64, {0x10, 0x49, 0x8b, 0xc9}, 4, {REG(R9), .al_size = 1}},
	{"movq %xmm9,%rcx",
	 64,
	 {0x1b, 0x66, 0x4c, 0x0f, 0x7e, 0xc9},
	 6,
	 {DOF_LOC_XMM, .al_base = 9, .al_index = DOF_REG_NONE, .al_scale = 1, .al_size = 8,
	  .al_flags = DOF_LOCF_FLOAT}},
	{"mov (%rdi),%rcx", 64, {0x12, 0x48, 0x8b, 0x0f}, 4, {MEM(DI, NONE, 1, 0), .al_size = 4}},
	{"mov -8(%rbp),%rcx",
	 64,
	 {0x16, 0x48, 0x8b, 0x4d, 0xf8},
	 5,
	 {MEM(BP, NONE, 1, -8), .al_size = 4, S}},
	{"mov 0x80(%r13),%rcx",
	 64,
	 {0x12, 0x49, 0x8b, 0x8d, 0x80, 0, 0, 0},
	 8,
	 {MEM(R13, NONE, 1, 0x80), .al_size = 4}},
	{"mov 16(%rsp),%rcx",
	 64,
	 {0x1b, 0x48, 0x8b, 0x4c, 0x24, 0x10},
	 6,
	 {MEM(SP, NONE, 1, 16), .al_size = 8, .al_flags = DOF_LOCF_FLOAT}},
	{"mov (%rcx,%rsi,4),%rcx",
	 64,
	 {0x12, 0x48, 0x8b, 0x0c, 0xb1},
	 5,
	 {MEM(CX, SI, 4, 0), .al_size = 4}},
	{"mov 0x10(%r12,%r13,2),%rcx",
	 64,
	 {0x12, 0x4b, 0x8b, 0x4c, 0x6c, 0x10},
	 6,
	 {MEM(R12, R13, 2, 16), .al_size = 4}},
	{"mov 0x404040(,%rdx,8),%rcx",
	 64,
	 {0x13, 0x48, 0x8b, 0x0c, 0xd5, 0x40, 0x40, 0x40, 0},
	 9,
	 {MEM(NONE, DX, 8, 0x404040), .al_size = 8}},
	{"mov 0x404040,%rcx",
	 64,
	 {0x13, 0x48, 0x8b, 0x0c, 0x25, 0x40, 0x40, 0x40, 0},
	 9,
	 {MEM(IP, NONE, 1, 0x404040), .al_size = 8}},
	{"mov -0x10(%rip),%rcx",
	 64,
	 {0x13, 0x48, 0x8b, 0x0d, 0xf0, 0xff, 0xff, 0xff},
	 8,
	 {MEM(IP, NONE, 1, ADDR + 8 - 0x10), .al_size = 8}},
	{"lea 0x20(%rip),%rcx",
	 64,
	 {0x13, 0x48, 0x8d, 0x0d, 0x20, 0, 0, 0},
	 8,
	 {CONST(ADDR + 8 + 0x20), .al_size = 8}},
	{"mov %fs:-4,%rcx",
	 64,
	 {0x16, 0x64, 0x48, 0x8b, 0x0c, 0x25, 0xfc, 0xff, 0xff, 0xff},
	 10,
	 {MEM(NONE, NONE, 1, -4), .al_size = 4, .al_flags = DOF_LOCF_SIGNED | DOF_LOCF_TLS}},
	{"mov %fs:(%rdx),%rcx",
	 64,
	 {0x16, 0x64, 0x48, 0x8b, 0x0a},
	 5,
	 {MEM(DX, NONE, 1, 0), .al_size = 4, .al_flags = DOF_LOCF_SIGNED | DOF_LOCF_TLS}},
	{"mov $-1,%rcx: an unsigned char",
	 64,
	 {0x10, 0x48, 0xc7, 0xc1, 0xff, 0xff, 0xff, 0xff},
	 8,
	 {CONST(255), .al_size = 1}},
	{"mov $-1,%rcx: an int",
	 64,
	 {0x16, 0x48, 0xc7, 0xc1, 0xff, 0xff, 0xff, 0xff},
	 8,
	 {CONST(-1), .al_size = 4, S}},
	{"movabs $0x123456789a,%rcx",
	 64,
	 {0x17, 0x48, 0xb9, 0x9a, 0x78, 0x56, 0x34, 0x12, 0, 0, 0},
	 11,
	 {CONST(0x123456789a), .al_size = 8, S}},
	{"mov $0xffffffff,%ecx: a long",
	 64,
	 {0x17, 0xb9, 0xff, 0xff, 0xff, 0xff},
	 6,
	 {CONST(0xffffffff), .al_size = 8, S}},
	{"imul %esi,%ecx", 32, {0x12, 0x0f, 0xaf, 0xce}, 4, {REG(SI), .al_size = 4}},
	{"imul %eax,%ecx: a long long",
	 32,
	 {0x17, 0x0f, 0xaf, 0xc8},
	 4,
	 {DOF_LOC_PAIR, .al_base = DOF_REG_AX, .al_index = DOF_REG_DX, .al_scale = 1, .al_size = 8,
	  S}},
	{"imul %edi,%ecx: a long long",
	 32,
	 {0x17, 0x0f, 0xaf, 0xcf},
	 4,
	 {DOF_LOC_PAIR, .al_base = DOF_REG_DI, .al_index = DOF_REG_BP, .al_scale = 1, .al_size = 8,
	  S}},
	{"imul 4(%esp),%ecx",
	 32,
	 {0x12, 0x0f, 0xaf, 0x4c, 0x24, 0x04},
	 6,
	 {MEM(SP, NONE, 1, 4), .al_size = 4}},
	{"imul 0xf7001000,%ecx",
	 32,
	 {0x12, 0x0f, 0xaf, 0x0d, 0, 0x10, 0, 0xf7},
	 8,
	 {MEM(IP, NONE, 1, 0xf7001000), .al_size = 4}},
	{"imul %gs:-4,%ecx",
	 32,
	 {0x12, 0x65, 0x0f, 0xaf, 0x0d, 0xfc, 0xff, 0xff, 0xff},
	 9,
	 {MEM(NONE, NONE, 1, -4), .al_size = 4, .al_flags = DOF_LOCF_TLS}},
	{"imul $7,%ecx,%ecx", 32, {0x16, 0x6b, 0xc9, 0x07}, 4, {CONST(7), .al_size = 4, S}},
	{"imul $0x12345,%ecx,%ecx",
	 32,
	 {0x16, 0x69, 0xc9, 0x45, 0x23, 0x01, 0},
	 7,
	 {CONST(0x12345), .al_size = 4, S}},
};

#define NROWS (sizeof rows / sizeof rows[0])

static const struct operands *machine(int bits)
{
	return bits == 32 ? &operands_i386 : &operands_x86_64;
}

static void places_are_read(void **state)
{
	dof_argloc_t loc;

	(void)state;
	for (size_t i = 0; i < NROWS; i++) {
		memset(&loc, 0xff, sizeof loc);
		print_message("%s\n", rows[i].text);
		assert_int_equal(operand_decode(machine(rows[i].bits), rows[i].bytes,
						OPERAND_MAXLEN, ADDR, &loc),
				 rows[i].len);
		assert_memory_equal(&loc, &rows[i].loc, sizeof loc);
	}
}

static void cut_arguments_are_refused(void **state)
{
	dof_argloc_t loc;

	(void)state;
	for (size_t i = 0; i < NROWS; i++)
		for (size_t len = 0; len < rows[i].len; len++)
			assert_int_equal(operand_decode(machine(rows[i].bits), rows[i].bytes, len,
							ADDR, &loc),
					 0);
}

static void other_instructions_are_refused(void **state)
{
	static const struct {
		int bits;
		uint8_t bytes[OPERAND_MAXLEN];
	} others[] = {
		{64, {0x00, 0x48, 0x89, 0xc1}},		    /* the end of the list */
		{64, {0x23, 0x48, 0x89, 0xc1}},		    /* no such type */
		{64, {0x13, 0x48, 0x01, 0xc1}},		    /* add */
		{64, {0x13, 0x48, 0x0f, 0xb6, 0xc1}},	    /* movzx */
		{64, {0x13, 0x48, 0x8d, 0x4f, 0x08}},	    /* lea 8(%rdi): no constant */
		{64, {0x13, 0x66, 0x48, 0x0f, 0x6e, 0xc1}}, /* movq to xmm */
		{32, {0x12, 0x48, 0x89, 0xc1}},		    /* dec %eax */
		{32, {0x13, 0x0f, 0xaf, 0xcd}},		    /* a pair that begins with %ebp */
	};
	dof_argloc_t loc;

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_int_equal(operand_decode(machine(others[i].bits), others[i].bytes,
						OPERAND_MAXLEN, ADDR, &loc),
				 0);
}

/* Every register and base, in all sizes, comes back as it was. */
static void written_places_are_read_back(void **state)
{
	uint8_t bytes[OPERAND_MAXLEN];
	dof_argloc_t loc;

	(void)state;
	for (unsigned int i = 0; i < 4 * 16 * 2 * 2; i++) {
		int bits = i & 1 ? 64 : 32;
		dof_argloc_t in = {
			.al_kind = i & 2 ? DOF_LOC_MEM : DOF_LOC_REG,
			.al_size = 1 << ((i >> 2) & 3),
			.al_base = (i >> 4) & (bits == 64 ? 15 : 7),
			.al_index = DOF_REG_NONE,
			.al_scale = 1,
			.al_flags = i & 8 ? DOF_LOCF_SIGNED : 0,
			.al_disp = i & 2 ? -1000 + (int)i * 16 : 0,
		};
		size_t len = operand_x86_encode(&in, bits, bytes);

		assert_in_range(len, 4, OPERAND_MAXLEN);
		if (bits == 32 && in.al_kind == DOF_LOC_REG && in.al_size == 8)
			continue;
		assert_int_equal(operand_decode(machine(bits), bytes, len, ADDR, &loc), len);
		assert_memory_equal(&loc, &in, sizeof loc);
	}
}

static void places_that_cannot_be_written_are_refused(void **state)
{
	uint8_t bytes[OPERAND_MAXLEN];

	(void)state;
	for (size_t i = 0; i < NROWS; i++) {
		const dof_argloc_t *loc = &rows[i].loc;

		if (loc->al_kind == DOF_LOC_CONST || loc->al_kind == DOF_LOC_PAIR ||
		    loc->al_index != DOF_REG_NONE || loc->al_base == DOF_REG_IP ||
		    loc->al_base == DOF_REG_NONE)
			assert_int_equal(operand_x86_encode(loc, rows[i].bits, bytes), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_read),
		cmocka_unit_test(cut_arguments_are_refused),
		cmocka_unit_test(other_instructions_are_refused),
		cmocka_unit_test(written_places_are_read_back),
		cmocka_unit_test(places_that_cannot_be_written_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
