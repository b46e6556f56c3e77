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

#define X64	&operands_x86_64
#define X32	&operands_i386
#define A64	&operands_aarch64
#define XREG(n) DOF_LOC_REG, .al_base = n, .al_index = DOF_REG_NONE, .al_scale = 1
#define VREG(n) DOF_LOC_XMM, .al_base = n, .al_index = DOF_REG_NONE, .al_scale = 1
#define XMEM(base, index, scale, disp) \
	DOF_LOC_MEM, .al_base = base, .al_index = index, .al_scale = scale, .al_disp = disp

static const struct row {
	const char *text;
	const struct operands *machine;
	dof_argloc_t loc;
} rows[] = {
	{"8@%rax", X64, {REG(AX), .al_size = 8}},
	{"-4@%eax", X64, {REG(AX), .al_size = 4, S}},
	{"-4@%edi", X64, {REG(DI), .al_size = 4, S}},
	{"2@%bp", X64, {REG(BP), .al_size = 2}},
	{"1@%al", X64, {REG(AX), .al_size = 1}},
	{"1@%bh", X64, {REG(BX), .al_size = 1, HIGH}},
	{"1@%sil", X64, {REG(SI), .al_size = 1}},
	{"1@%spl", X64, {REG(SP), .al_size = 1}},
	{"-1@%r10b", X64, {REG(R10), .al_size = 1, S}},
	{"4@%r8d", X64, {REG(R8), .al_size = 4}},
	{"2@%r15w", X64, {REG(R15), .al_size = 2}},
	{"8@%r9", X64, {REG(R9), .al_size = 8}},
	{"%eax", X64, {REG(AX), .al_size = 4}},
	{"%rdx", X64, {REG(DX), .al_size = 8}},
	{"%cl", X64, {REG(CX), .al_size = 1}},
	{"8f@%xmm0",
	 X64,
	 {DOF_LOC_XMM, .al_base = 0, .al_index = DOF_REG_NONE, .al_scale = 1, .al_size = 8, F}},
	{"4f@%xmm15",
	 X64,
	 {DOF_LOC_XMM, .al_base = 15, .al_index = DOF_REG_NONE, .al_scale = 1, .al_size = 4, F}},
	{"8@%eax",
	 X32,
	 {DOF_LOC_PAIR, .al_base = DOF_REG_AX, .al_index = DOF_REG_DX, .al_scale = 1,
	  .al_size = 8}},
	{"-4@$-5", X64, {CONST(-5), .al_size = 4, S}},
	{"4@$-1", X64, {CONST(0xffffffffLL), .al_size = 4}},
	{"8@$0x1234abcd", X64, {CONST(0x1234abcd), .al_size = 8}},
	{"1@$017", X64, {CONST(15), .al_size = 1}},
	{"8@$known", X64, {CONST(0x404040), .al_size = 8}},
	{"8@$known+16", X64, {CONST(0x404050), .al_size = 8}},
	{"-4@(%rdi)", X64, {MEM(DI, NONE, 1, 0), .al_size = 4, S}},
	{"8f@16(%rsp)", X64, {MEM(SP, NONE, 1, 16), .al_size = 8, F}},
	{"8@-8(%rbp)", X64, {MEM(BP, NONE, 1, -8), .al_size = 8}},
	{"8@(%rax,%rdi,8)", X64, {MEM(AX, DI, 8, 0), .al_size = 8}},
	{"8@-16+8(%rax,%r12)", X64, {MEM(AX, R12, 1, -8), .al_size = 8}},
	{"4@known(,%rax,4)", X64, {MEM(NONE, AX, 4, 0x404040), .al_size = 4}},
	{"4@known(%rip)", X64, {MEM(IP, NONE, 1, 0x404040), .al_size = 4}},
	{"4@8+known(%rip)", X64, {MEM(IP, NONE, 1, 0x404048), .al_size = 4}},
	{"4@known", X32, {MEM(IP, NONE, 1, 0x404040), .al_size = 4}},
	{"4@known@GOTOFF(%ebx)", X32, {MEM(BX, NONE, 1, 0x4040), .al_size = 4}},
	{"4@8+known@GOTOFF(%ebx,%esi,4)", X32, {MEM(BX, SI, 4, 0x4048), .al_size = 4}},
	{"4@4210752", X64, {MEM(IP, NONE, 1, 0x404040), .al_size = 4}},
	{"8@%fs:40", X64, {MEM(NONE, NONE, 1, 40), .al_size = 8, TLS}},
	{"4@%gs:8(%eax)", X32, {MEM(AX, NONE, 1, 8), .al_size = 4, TLS}},
	{"4(%esi)", X32, {MEM(SI, NONE, 1, 4), .al_size = 4}},
	{"16(%rsp)", X64, {MEM(SP, NONE, 1, 16), .al_size = 8}},
	/* Operands that only the linker or the compiler knows. */
	{"8@stranger(%rip)", X64, {NONE(8)}},
	{"8@known@GOTPCREL(%rip)", X64, {NONE(8)}},
	{"40@(%rax)", X64, {NONE(8)}},
	{"8@8(%rip)", X64, {NONE(8)}},
	{"8@%rzx", X64, {NONE(8)}},
	{"-8@%rzx", X64, {NONE(8)}},
	{"8f@%rip", X64, {NONE(8)}},
	{"8@%r16", X64, {NONE(8)}},
	{"8@%xmm16", X64, {NONE(8)}},
	{"8@(%rax", X64, {NONE(8)}},
	{"8@(%rax,%rcx,3)", X64, {NONE(8)}},
	{"8@(%al)", X64, {NONE(8)}},
	{"8@", X64, {NONE(8)}},
	{"8@$", X64, {NONE(8)}},
	{"8@%rax%rbx", X64, {NONE(8)}},
	{"4@[r1]", X32, {NONE(4)}},
	{"8@x0", A64, {XREG(0), .al_size = 8}},
	{"-4@w30", A64, {XREG(30), .al_size = 4, S}},
	{"w7", A64, {XREG(7), .al_size = 4}},
	{"8@sp", A64, {XREG(31), .al_size = 8}},
	{"8@xzr", A64, {CONST(0), .al_size = 8}},
	{"4f@s3", A64, {VREG(3), .al_size = 4, F}},
	{"8f@d31", A64, {VREG(31), .al_size = 8, F}},
	{"8f@v0", A64, {VREG(0), .al_size = 8, F}},
	{"-4@-5", A64, {CONST(-5), .al_size = 4, S}},
	{"4@#0x10", A64, {CONST(16), .al_size = 4}},
	{"8@known+8", A64, {CONST(0x404048), .al_size = 8}},
	{"8@[x1]", A64, {XMEM(1, DOF_REG_NONE, 1, 0), .al_size = 8}},
	{"-4@[sp, 12]", A64, {XMEM(31, DOF_REG_NONE, 1, 12), .al_size = 4, S}},
	{"-4@[x29,#-8]", A64, {XMEM(29, DOF_REG_NONE, 1, -8), .al_size = 4, S}},
	{"8f@[x0, x2]", A64, {XMEM(0, 2, 1, 0), .al_size = 8, F}},
	{"8@[x0, x2, lsl 3]", A64, {XMEM(0, 2, 8, 0), .al_size = 8}},
	{"8@[x0,x2,lsl #3]", A64, {XMEM(0, 2, 8, 0), .al_size = 8}},
	{"4@[x4, #:lo12:known]", A64, {XMEM(4, DOF_REG_NONE, 1, 0x40), .al_size = 4}},
	{"4@[x4, #:lo12:known+8]", A64, {XMEM(4, DOF_REG_NONE, 1, 0x48), .al_size = 4}},
	{"4@[x4, #:lo12:stranger]", A64, {NONE(4)}},
	{"8@[x0, w2, sxtw 3]", A64, {NONE(8)}},
	{"8@[x0, 8]!", A64, {NONE(8)}},
	{"8@[x0", A64, {NONE(8)}},
	{"8@[w0]", A64, {NONE(8)}},
	{"8@[x0, x2, lsl 4]", A64, {NONE(8)}},
	{"8@x31", A64, {NONE(8)}},
	{"8@x1,", A64, {NONE(8)}},
	{"8@stranger", A64, {NONE(8)}},
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

		assert_int_equal(
			operand_text(rows[i].machine, rows[i].text, len, symbol, NULL, &loc), len);
		if (memcmp(&loc, &rows[i].loc, sizeof loc))
			fail_msg("%s: kind %u base %u disp %lld", rows[i].text, loc.al_kind,
				 loc.al_base, (long long)loc.al_disp);
	}
}

static void a_list_is_read_to_its_end(void **state)
{
	static const char list[] = " -4@%eax 8@bad! 8@16(%rsp)";
	static const char blanks[] = "-4@[sp, 12] 8@[x0, w1, sxtw 3] 4@7";
	const char *at = list, *end = list + sizeof list;
	uint8_t kinds[3];
	dof_argloc_t loc;
	size_t len, n = 0;

	(void)state;
	for (; (len = operand_text(X64, at, (size_t)(end - at), NULL, NULL, &loc)); at += len)
		kinds[n++] = loc.al_kind;
	assert_int_equal(n, 3);
	assert_int_equal(kinds[0], DOF_LOC_REG);
	assert_int_equal(kinds[1], DOF_LOC_NONE);
	assert_int_equal(kinds[2], DOF_LOC_MEM);
	n = 0;
	for (at = blanks;
	     (len = operand_text(A64, at, sizeof blanks - (size_t)(at - blanks), NULL, NULL, &loc));
	     at += len)
		kinds[n++] = loc.al_kind;
	assert_int_equal(n, 3);
	assert_int_equal(kinds[0], DOF_LOC_MEM);
	assert_int_equal(kinds[1], DOF_LOC_NONE);
	assert_int_equal(kinds[2], DOF_LOC_CONST);
	assert_int_equal(operand_text(X64, "  ", 2, NULL, NULL, &loc), 0);
	assert_int_equal(operand_text(X64, "", 0, NULL, NULL, &loc), 0);
}

/* Every prefix of every form, in memory that ends there: sanitisers detect reads beyond it. */
static void nothing_is_read_behind_the_end(void **state)
{
	dof_argloc_t loc;
	char copy[64];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		for (size_t len = 1; len < strlen(rows[i].text); len++) {
			memset(copy, '9', sizeof copy);
			memcpy(copy, rows[i].text, len);
			assert_int_equal(
				operand_text(rows[i].machine, copy, len, symbol, NULL, &loc), len);
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
