/* SPDX-License-Identifier: MIT */
/* drti_operand_text.c - arguments of SystemTap notes: each form that compilers and people write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "operand.h"

#define REG(reg) DOF_LOC_REG, .al_base = DOF_REG_##reg, .al_index = DOF_REG_NONE, .al_scale = 1
#define MEM(base, index, scale, disp)                                                           \
	DOF_LOC_MEM, .al_base = DOF_REG_##base, .al_index = DOF_REG_##index, .al_scale = scale, \
		     .al_disp = disp
#define CONST(value)                                                                     \
	DOF_LOC_CONST, .al_base = DOF_REG_NONE, .al_index = DOF_REG_NONE, .al_scale = 1, \
		       .al_disp = value
#define NONE(size)                                                                        \
	DOF_LOC_NONE, .al_size = size, .al_base = DOF_REG_NONE, .al_index = DOF_REG_NONE, \
		      .al_scale = 1
#define S    .al_flags = DOF_LOCF_SIGNED
#define F    .al_flags = DOF_LOCF_FLOAT
#define TLS  .al_flags = DOF_LOCF_TLS
#define HIGH .al_flags = DOF_LOCF_HIGHBYTE

static const struct row {
	const char *text;
	int bits;
	dof_argloc_t loc;
} rows[] = {
	{"8@%rax", 64, {REG(AX), .al_size = 8}},
	{"-4@%eax", 64, {REG(AX), .al_size = 4, S}},
	{"-4@%edi", 64, {REG(DI), .al_size = 4, S}},
	{"2@%bp", 64, {REG(BP), .al_size = 2}},
	{"1@%al", 64, {REG(AX), .al_size = 1}},
	{"1@%bh", 64, {REG(BX), .al_size = 1, HIGH}},
	{"1@%sil", 64, {REG(SI), .al_size = 1}},
	{"1@%spl", 64, {REG(SP), .al_size = 1}},
	{"-1@%r10b", 64, {REG(R10), .al_size = 1, S}},
	{"4@%r8d", 64, {REG(R8), .al_size = 4}},
	{"2@%r15w", 64, {REG(R15), .al_size = 2}},
	{"8@%r9", 64, {REG(R9), .al_size = 8}},
	{"%eax", 64, {REG(AX), .al_size = 4}},
	{"%rdx", 64, {REG(DX), .al_size = 8}},
	{"%cl", 64, {REG(CX), .al_size = 1}},
	{"8f@%xmm0",
	 64,
	 {DOF_LOC_XMM, .al_base = 0, .al_index = DOF_REG_NONE, .al_scale = 1, .al_size = 8, F}},
	{"4f@%xmm15",
	 64,
	 {DOF_LOC_XMM, .al_base = 15, .al_index = DOF_REG_NONE, .al_scale = 1, .al_size = 4, F}},
	{"8@%eax",
	 32,
	 {DOF_LOC_PAIR, .al_base = DOF_REG_AX, .al_index = DOF_REG_DX, .al_scale = 1,
	  .al_size = 8}},
	{"-4@$-5", 64, {CONST(-5), .al_size = 4, S}},
	{"4@$-1", 64, {CONST(0xffffffffLL), .al_size = 4}},
	{"8@$0x1234abcd", 64, {CONST(0x1234abcd), .al_size = 8}},
	{"1@$017", 64, {CONST(15), .al_size = 1}},
	{"8@$known", 64, {CONST(0x404040), .al_size = 8}},
	{"8@$known+16", 64, {CONST(0x404050), .al_size = 8}},
	{"-4@(%rdi)", 64, {MEM(DI, NONE, 1, 0), .al_size = 4, S}},
	{"8f@16(%rsp)", 64, {MEM(SP, NONE, 1, 16), .al_size = 8, F}},
	{"8@-8(%rbp)", 64, {MEM(BP, NONE, 1, -8), .al_size = 8}},
	{"8@(%rax,%rdi,8)", 64, {MEM(AX, DI, 8, 0), .al_size = 8}},
	{"8@-16+8(%rax,%r12)", 64, {MEM(AX, R12, 1, -8), .al_size = 8}},
	{"4@known(,%rax,4)", 64, {MEM(NONE, AX, 4, 0x404040), .al_size = 4}},
	{"4@known(%rip)", 64, {MEM(IP, NONE, 1, 0x404040), .al_size = 4}},
	{"4@8+known(%rip)", 64, {MEM(IP, NONE, 1, 0x404048), .al_size = 4}},
	{"4@known", 32, {MEM(IP, NONE, 1, 0x404040), .al_size = 4}},
	{"4@known@GOTOFF(%ebx)", 32, {MEM(BX, NONE, 1, 0x4040), .al_size = 4}},
	{"4@8+known@GOTOFF(%ebx,%esi,4)", 32, {MEM(BX, SI, 4, 0x4048), .al_size = 4}},
	{"4@4210752", 64, {MEM(IP, NONE, 1, 0x404040), .al_size = 4}},
	{"8@%fs:40", 64, {MEM(NONE, NONE, 1, 40), .al_size = 8, TLS}},
	{"4@%gs:8(%eax)", 32, {MEM(AX, NONE, 1, 8), .al_size = 4, TLS}},
	{"4(%esi)", 32, {MEM(SI, NONE, 1, 4), .al_size = 4}},
	{"16(%rsp)", 64, {MEM(SP, NONE, 1, 16), .al_size = 8}},
	/* What nobody but the linker or the compiler knows. */
	{"8@stranger(%rip)", 64, {NONE(8)}},
	{"8@known@GOTPCREL(%rip)", 64, {NONE(8)}},
	{"40@(%rax)", 64, {NONE(8)}},
	{"8@8(%rip)", 64, {NONE(8)}},
	{"8@%rzx", 64, {NONE(8)}},
	{"8@%r16", 64, {NONE(8)}},
	{"8@%xmm16", 64, {NONE(8)}},
	{"8@(%rax", 64, {NONE(8)}},
	{"8@(%rax,%rcx,3)", 64, {NONE(8)}},
	{"8@(%al)", 64, {NONE(8)}},
	{"8@", 64, {NONE(8)}},
	{"8@$", 64, {NONE(8)}},
	{"8@%rax%rbx", 64, {NONE(8)}},
	{"4@[r1]", 32, {NONE(4)}},
};

static bool symbol(void *context, const char *name, size_t len, uint64_t *address)
{
	(void)context;
	*address = len == 5 ? 0x404040 : 0x400000;
	return (len == 5 && memcmp(name, "known", 5) == 0) ||
	       (len == 21 && memcmp(name, "_GLOBAL_OFFSET_TABLE_", 21) == 0);
}

static void each_form_is_read(void **state)
{
	dof_argloc_t loc;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t len = strlen(rows[i].text);

		assert_int_equal(operand_text(rows[i].text, len, rows[i].bits, symbol, NULL, &loc),
				 len);
		if (memcmp(&loc, &rows[i].loc, sizeof loc))
			fail_msg("%s: kind %u base %u disp %lld", rows[i].text, loc.al_kind,
				 loc.al_base, (long long)loc.al_disp);
	}
}

static void a_list_is_read_to_its_end(void **state)
{
	static const char list[] = " -4@%eax 8@bad! 8@16(%rsp)";
	const char *at = list, *end = list + sizeof list;
	uint8_t kinds[3];
	dof_argloc_t loc;
	size_t len, n = 0;

	(void)state;
	for (; (len = operand_text(at, (size_t)(end - at), 64, NULL, NULL, &loc)); at += len)
		kinds[n++] = loc.al_kind;
	assert_int_equal(n, 3);
	assert_int_equal(kinds[0], DOF_LOC_REG);
	assert_int_equal(kinds[1], DOF_LOC_NONE);
	assert_int_equal(kinds[2], DOF_LOC_MEM);
	assert_int_equal(operand_text("  ", 2, 64, NULL, NULL, &loc), 0);
	assert_int_equal(operand_text("", 0, 64, NULL, NULL, &loc), 0);
}

/* Every prefix of every form, in memory that ends there: the sanitisers watch. */
static void nothing_is_read_behind_the_end(void **state)
{
	dof_argloc_t loc;
	char copy[64];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		for (size_t len = 1; len < strlen(rows[i].text); len++) {
			memset(copy, '9', sizeof copy);
			memcpy(copy, rows[i].text, len);
			assert_int_equal(operand_text(copy, len, 64, symbol, NULL, &loc), len);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_is_read),
		cmocka_unit_test(a_list_is_read_to_its_end),
		cmocka_unit_test(nothing_is_read_behind_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
