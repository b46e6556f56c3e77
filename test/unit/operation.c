/* SPDX-License-Identifier: MIT */
/*
 * operation.c - instructions that the module carries out on a thread's registers must leave what
 * the processor leaves: all registers and flags. Every form is compared, with every register.
 */
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>
#include "insn_emulate.h"

#define ARITHMETIC_FLAGS                                                                 \
	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF | X86_EFLAGS_ZF | X86_EFLAGS_SF | \
	 X86_EFLAGS_OF)
#define REX_NONE 0x3f /* one less than the first; all others are tried too */
#define REX_LAST 0x4f

/* ---- the processor ---- */

/*
 * native - load the registers, the stack pointer among them, jump to code, which jumps to
 * native_back, and put them back. No signal may come meanwhile.
 */
void native(struct pt_regs *regs, const void *code);
extern const char native_back[];

__asm__(".text\n.globl native, native_back\n"
	"native:\n"
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"mov %rsp, native_sp(%rip); mov %rdi, native_regs(%rip); mov %rsi, native_code(%rip)\n"
	"push 144(%rdi); popfq\n"
	"mov (%rdi), %r15; mov 8(%rdi), %r14; mov 16(%rdi), %r13; mov 24(%rdi), %r12\n"
	"mov 32(%rdi), %rbp; mov 40(%rdi), %rbx; mov 48(%rdi), %r11; mov 56(%rdi), %r10\n"
	"mov 64(%rdi), %r9; mov 72(%rdi), %r8; mov 80(%rdi), %rax; mov 88(%rdi), %rcx\n"
	"mov 96(%rdi), %rdx; mov 104(%rdi), %rsi; mov 152(%rdi), %rsp; mov 112(%rdi), %rdi\n"
	"jmp *native_code(%rip)\n"
	"native_back:\n"
	"mov %rdi, native_di(%rip); mov native_regs(%rip), %rdi; mov %rsp, 152(%rdi)\n"
	"mov native_sp(%rip), %rsp; pushfq; pop 144(%rdi)\n"
	"mov %r15, (%rdi); mov %r14, 8(%rdi); mov %r13, 16(%rdi); mov %r12, 24(%rdi)\n"
	"mov %rbp, 32(%rdi); mov %rbx, 40(%rdi); mov %r11, 48(%rdi); mov %r10, 56(%rdi)\n"
	"mov %r9, 64(%rdi); mov %r8, 72(%rdi); mov %rax, 80(%rdi); mov %rcx, 88(%rdi)\n"
	"mov %rdx, 96(%rdi); mov %rsi, 104(%rdi); mov native_di(%rip), %rax; mov %rax, 112(%rdi)\n"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"ret\n"
	".local native_sp, native_regs, native_code, native_di\n"
	".comm native_sp, 8; .comm native_regs, 8; .comm native_code, 8; .comm native_di, 8\n");

static uint8_t *page;

/* An instruction, and the way back behind it. */
static void page_write(const uint8_t *insn, unsigned int length)
{
	static const uint8_t jump[6] = {0xff, 0x25};
	const void *back = native_back;

	memcpy(page, insn, length);
	memcpy(page + length, jump, sizeof(jump));
	memcpy(page + length + sizeof(jump), &back, sizeof(back));
}

/* ---- what is compared ---- */

static uint64_t random_word(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* One where carries and signs change, near one, or any. */
static uint64_t random_value(void)
{
	static const uint64_t edges[] = {0,
					 0x7f,
					 0x80,
					 0xff,
					 0x7fffffff,
					 0x80000000,
					 0xffffffff,
					 0x7fffffffffffffff,
					 0x8000000000000000};
	uint64_t n = random_word();

	if (n & 1)
		return random_word();
	return edges[(n >> 8) % (sizeof(edges) / sizeof(*edges))] + (n >> 1 & 3) - 1;
}

static void random_registers(struct pt_regs *regs)
{
	memset(regs, 0, sizeof(*regs));
	for (unsigned int i = 0; i < 16; i++)
		*operation_register(regs, i) = random_value();
	regs->flags = (random_word() & ARITHMETIC_FLAGS) | X86_EFLAGS_IF | X86_EFLAGS_FIXED;
	regs->ip = (uintptr_t)page;
}

static void complain(const uint8_t *insn, unsigned int length, const struct pt_regs *seen,
		     const struct pt_regs *right)
{
	for (unsigned int i = 0; i < length; i++)
		print_error("%02x ", insn[i]);
	print_error("\n");
	for (size_t i = 0; i < sizeof(*seen) / 8; i++)
		if (((const uint64_t *)seen)[i] != ((const uint64_t *)right)[i])
			print_error("word %zu: %#lx, not %#lx\n", i, ((const uint64_t *)seen)[i],
				    ((const uint64_t *)right)[i]);
	fail();
}

static void compare(const uint8_t *insn, unsigned int length, unsigned int rounds)
{
	struct dtrace_operation operation;
	struct pt_regs right, seen;

	assert_true(operation_decode(&operation, insn));
	assert_int_equal(operation.length, length);
	page_write(insn, length);
	while (rounds-- > 0) {
		random_registers(&right);
		seen = right;
		operation_do(&operation, &seen);
		native(&right, page);
		right.ip += length;
		if (memcmp(&seen, &right, sizeof(seen)) != 0)
			complain(insn, length, &seen, &right);
	}
}

/* ---- forms ---- */

/* For each REX prefix, or none: insn begins behind it. Its length with it. */
static uint8_t *rex_begin(uint8_t *insn, unsigned int rex)
{
	memset(insn, 0, 16);
	if (rex == REX_NONE)
		return insn;
	insn[0] = rex;
	return insn + 1;
}

static void test_registers(void **state)
{
	static const uint8_t opcodes[] = {0x01, 0x03, 0x09, 0x0b, 0x21, 0x23, 0x29, 0x2b,
					  0x31, 0x33, 0x39, 0x3b, 0x85, 0x89, 0x8b};
	uint8_t insn[16], *at;

	(void)state;
	for (size_t i = 0; i < sizeof(opcodes); i++)
		for (unsigned int rex = REX_NONE; rex <= REX_LAST; rex++)
			for (unsigned int modrm = 0xc0; modrm <= 0xff; modrm++) {
				at = rex_begin(insn, rex);
				*at++ = opcodes[i];
				*at++ = modrm;
				compare(insn, at - insn, 20);
			}
}

/* opcode, ModRM (or none, less than 0), and constants of that size. */
static void compare_constants(uint8_t opcode, int modrm, unsigned int size)
{
	uint8_t insn[16], *at;
	uint64_t value;

	for (unsigned int rex = REX_NONE; rex <= REX_LAST; rex++)
		for (unsigned int n = 0; n < 40; n++) {
			unsigned int bytes =
				size == 0 ? (rex & 8 && rex != REX_NONE ? 8 : 4) : size;

			at = rex_begin(insn, rex);
			*at++ = opcode;
			if (modrm >= 0)
				*at++ = modrm;
			value = random_value();
			memcpy(at, &value, bytes);
			compare(insn, at + bytes - insn, 8);
		}
}

static void test_constants(void **state)
{
	static const uint8_t to_ax[] = {0x05, 0x0d, 0x25, 0x2d, 0x35, 0x3d, 0xa9};
	static const uint8_t groups[] = {0, 1, 4, 5, 6, 7};

	(void)state;
	for (size_t i = 0; i < sizeof(to_ax); i++)
		compare_constants(to_ax[i], -1, 4);
	for (unsigned int reg = 0; reg < 8; reg++) {
		for (size_t i = 0; i < sizeof(groups); i++) {
			compare_constants(0x81, 0xc0 | groups[i] << 3 | reg, 4);
			compare_constants(0x83, 0xc0 | groups[i] << 3 | reg, 1);
		}
		compare_constants(0xb8 + reg, -1, 0);
		compare_constants(0xc7, 0xc0 | reg, 4);
		compare_constants(0xf7, 0xc0 | reg, 4);
	}
}

static void compare_address(unsigned int rex, uint8_t modrm, uint8_t sib)
{
	uint8_t insn[16], *at = rex_begin(insn, rex), mod = modrm >> 6;
	bool scaled = (modrm & 7) == 4;
	uint32_t displacement = random_value();
	unsigned int bytes = mod == 1 ? 1 : mod == 2 ? 4 : 0;

	*at++ = 0x8d;
	*at++ = modrm;
	if (scaled)
		*at++ = sib;
	if (mod == 0 && ((scaled ? sib : modrm) & 7) == 5)
		bytes = 4;
	memcpy(at, &displacement, bytes);
	compare(insn, at + bytes - insn, 3);
}

static void test_addresses(void **state)
{
	(void)state;
	for (unsigned int rex = REX_NONE; rex <= REX_LAST; rex++)
		for (unsigned int modrm = 0; modrm < 0xc0; modrm++)
			for (unsigned int sib = 0; sib < ((modrm & 7) == 4 ? 256 : 1); sib++)
				compare_address(rex, modrm, sib);
}

/* ---- what is none of them ---- */

static bool is_taken(const uint8_t *insn)
{
	struct dtrace_operation operation;

	return operation_decode(&operation, insn);
}

/* In memory, or with a part of the opcode that is another instruction's. */
static void test_operands(void **state)
{
	static const uint8_t opcodes[] = {0x01, 0x03, 0x09, 0x0b, 0x21, 0x23, 0x29,
					  0x2b, 0x31, 0x33, 0x39, 0x3b, 0x81, 0x83,
					  0x85, 0x89, 0x8b, 0xc7, 0xf7};
	static const uint8_t others[][2] = {{0x81, 2}, {0x81, 3}, {0x83, 2}, {0x83, 3}};
	uint8_t insn[16] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(opcodes); i++)
		for (unsigned int modrm = 0; modrm < 0xc0; modrm++) {
			insn[0] = opcodes[i];
			insn[1] = modrm;
			assert_false(is_taken(insn));
		}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		insn[0] = others[i][0];
		insn[1] = 0xc0 | others[i][1] << 3;
		assert_false(is_taken(insn));
	}
	for (unsigned int extension = 1; extension < 8; extension++) {
		insn[1] = 0xc0 | extension << 3;
		insn[0] = 0xc7;
		assert_false(is_taken(insn));
		insn[0] = 0xf7;
		assert_false(is_taken(insn));
	}
	for (unsigned int modrm = 0xc0; modrm <= 0xff; modrm++) {
		insn[0] = 0x8d;
		insn[1] = modrm;
		assert_false(is_taken(insn));
	}
}

/* Every first byte, prefixes among them, and every one behind REX. */
static void test_opcodes(void **state)
{
	static const uint8_t taken[] = {0x01, 0x03, 0x05, 0x09, 0x0b, 0x0d, 0x21, 0x23, 0x25,
					0x29, 0x2b, 0x2d, 0x31, 0x33, 0x35, 0x39, 0x3b, 0x3d,
					0x81, 0x83, 0x85, 0x89, 0x8b, 0xa9, 0xb8, 0xb9, 0xba,
					0xbb, 0xbc, 0xbd, 0xbe, 0xbf, 0xc7, 0xf7};
	uint8_t plain[16] = {0, 0xc0}, wide[16] = {0x48, 0, 0xc0};

	(void)state;
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		bool right = memchr(taken, opcode, sizeof(taken));

		plain[0] = opcode;
		wide[1] = opcode;
		if (opcode < 0x40 || opcode > 0x4f)
			assert_int_equal(is_taken(plain), right);
		assert_int_equal(is_taken(wide), right);
	}
}

static int set_up(void **state)
{
	(void)state;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	return page == MAP_FAILED;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers), cmocka_unit_test(test_constants),
		cmocka_unit_test(test_addresses), cmocka_unit_test(test_operands),
		cmocka_unit_test(test_opcodes),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
