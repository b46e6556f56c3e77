/* SPDX-License-Identifier: MIT */
/*
 * process_insn.c - the instructions of functions: where each begins, which of them leave the
 * function, which can have no breakpoint, and what is no code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../../libdtrace/process/insn.h"

#define ADDR 0x401000ULL
#define NOP8 "90 90 90 90 90 90 90 90 "

/* A function, and what is said of it. */
struct function {
	int bits;
	const char *bytes; /* in hexadecimal */
	/*
	 * The offset of each instruction; behind it "r" if it leaves the function, "s" if it is
	 * skipped. Or "!", where it is damaged, and why.
	 */
	const char *said;
};

static uint64_t asked[8]; /* targets outside, as they were asked for */
static size_t nasked;

static uint64_t frame_at; /* address of an indirect jump at which the function has a frame */

/* Targets of a page behind the text belong to the function. */
static bool stays(void *arg, uint64_t at, uint64_t address)
{
	assert_ptr_equal(arg, asked);
	if (!address)
		return at == frame_at;
	assert_true(nasked < 8);
	asked[nasked++] = address;
	return address >= ADDR + 0x1000 && address < ADDR + 0x2000;
}

static bool moved; /* probes move instructions */

/* Put code where the sanitiser sees who reads beyond it; the caller frees bytes. */
static struct insn_text text_of(const char *hex, int bits)
{
	uint8_t *bytes = malloc(strlen(hex) / 3 + 1), *to = bytes;
	struct insn_text text = {.addr = ADDR, .bits = bits, .moved = moved};
	int n;

	assert_non_null(bytes);
	for (unsigned int byte; sscanf(hex, "%x%n", &byte, &n) == 1; hex += n)
		*to++ = byte;
	text.size = to - bytes;
	text.bytes = realloc(bytes, text.size);
	assert_non_null(text.bytes);
	return text;
}

static const char *described(const struct insns *insns)
{
	static char text[512];
	size_t n = 0;

	if (insns->damage) {
		snprintf(text, sizeof(text), "! %llu %s", (unsigned long long)insns->where,
			 insns->damage);
		return text;
	}
	text[0] = '\0';
	for (size_t i = 0; i < insns->n; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%u%s%s", i ? " " : "",
			      insns->list[i].offset, insns->list[i].leaves ? "r" : "",
			      insns->list[i].skipped ? "s" : "");
	return text;
}

static void check(const struct function *fn)
{
	struct insn_text text = text_of(fn->bytes, fn->bits);
	struct insns insns;

	nasked = 0;
	assert_true(insns_read(&insns, &text, stays, asked));
	if (strcmp(described(&insns), fn->said) != 0)
		fail_msg("%d bits: %s: %s, expected %s", fn->bits, fn->bytes, described(&insns),
			 fn->said);
	insns_free(&insns);
	assert_int_equal(insns.n, 0);
	free((void *)text.bytes);
}

static void ways_out(void **state)
{
	static const struct function fns[] = {
		{64, "55 48 89 e5 5d c3", "0 1 4 5r"},
		{64, "c3 c2 08 00 f3 c3 cb ca 08 00 48 cf", "0r 1r 4r 6r 7r 10rs"},
		{32, "55 89 e5 5d c3", "0 1 3 4r"},
		/* Calls come back. */
		{64, "e8 00 00 00 00 ff d0 ff 15 00 00 00 00 c3", "0 5 7 13r"},
		/*
		 * Jumps within the function, forward and back; to its end, and before its
		 * beginning.
		 */
		{64, "eb 01 90 eb fb c3", "0 2 3 5r"},
		{64, "74 02 eb 00 c3", "0 2 4r"},
		{64, "eb 00", "0r"},
		{64, "90 eb fd", "0 1"},
		{64, "90 eb fc", "0 1r"},
		/* All forms to another function, and to a part of the same. */
		{64, "e9 00 01 00 00 0f 84 00 01 00 00 75 70 c3", "0r 5r 11r 13r"},
		{64, "e9 fb 0f 00 00", "0"},
		{64, "0f 84 fa 0f 00 00 c3", "0 6r"},
		{32, "e9 00 01 00 00 c3", "0r 5r"},
		{32, "e9 fb 0f 00 00", "0"},
		/* Loops by a counter do not leave. */
		{64, "e2 70 e3 70 e0 70 e1 70 c3", "0 2 4 6 8r"},
		/* A jump may go behind a lock prefix, and behind nothing else. */
		{64, "74 01 f0 ff 00 c3", "0 2s 5r"},
		{64, "74 01 66 89 c0 c3", "! 0 a jump leads into an instruction"},
		{64, "74 02 f0 ff 00 c3", "! 0 a jump leads into an instruction"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fns) / sizeof(fns[0]); i++)
		check(&fns[i]);
}

static void jumps_by_registers(void **state)
{
	static const struct function fns[] = {
		/* jmp *%rax, jmp *(%rax), jmp *0(%rip), ljmp *(%rax): tail calls. */
		{64, "ff e0", "0r"},
		{64, "ff 20", "0r"},
		{64, "ff 25 00 00 00 00", "0r"},
		{64, "ff 28", "0r"},
		{64, "41 ff e3", "0r"},
		/* push (%rax), inc %eax, call *%rax: none. */
		{64, "ff 30 ff c0 ff d0", "0 2 4"},
		/* notrack jmp *%rax: a switch; so is a jump by an indexed table. */
		{64, "3e ff e0", "0s"},
		{64, "ff 24 c5 00 00 00 00", "0"},
		{64, "ff 24 24", "0r"},
		{32, "ff 24 85 00 00 00 00", "0"},
		/* The register comes from a table: by add, or by a load with an index. */
		{64, "48 01 d0 ff e0", "0 3"},
		{64, "48 03 02 ff e0", "0 3"},
		{64, "48 8b 04 c2 ff e0", "0 4"},
		{64, "4c 01 d8 ff e0", "0 3"},
		/*
		 * From elsewhere: a load without an index, another register, high registers apart.
		 */
		{64, "48 8b 00 ff e0", "0 3r"},
		{64, "48 8b 04 24 ff e0", "0 4r"},
		{64, "48 01 c2 ff e0", "0 3r"},
		{64, "49 01 c0 41 ff e0", "0 3"},
		{64, "48 01 c0 41 ff e0", "0 3r"},
		{64, "49 01 c0 ff e0", "0 3r"},
		{64, "4e 8b 04 c2 41 ff e0", "0 4"},
		{64, "4a 8b 04 22 ff e0", "0 4"},
		/* The nearest load counts, within the same stretch of code and 12 instructions. */
		{64, "48 8b 00 48 01 d0 ff e0", "0 3 6"},
		{64, "48 01 d0 48 8b 00 ff e0", "0 3 6r"},
		{64, "48 01 d0 c3 ff e0", "0 3r 4r"},
		{64, "48 01 d0 eb 00 ff e0", "0 3 5r"},
		{64, "48 01 d0 " NOP8 "90 90 90 ff e0", "0 3 4 5 6 7 8 9 10 11 12 13 14"},
		{64, "48 01 d0 " NOP8 "90 90 90 90 ff e0", "0 3 4 5 6 7 8 9 10 11 12 13 14 15r"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fns) / sizeof(fns[0]); i++)
		check(&fns[i]);
}

/* An indirect jump does not leave if the function has a frame there. */
static void frames_are_left(void **state)
{
	static const struct function by_memory = {64, "90 ff 20 c3", "0 1 3r"},
				     by_register = {64, "90 ff e0 c3", "0 1 3r"};

	(void)state;
	frame_at = ADDR + 1;
	check(&by_memory);
	check(&by_register);
	frame_at = 0;
}

/* stays() is asked about targets out of the text only, by their addresses. */
static void targets_are_asked_for(void **state)
{
	static const struct function fns[] = {
		{64, "eb 01 90 90 c3", "0 2 3 4r"},
		{64, "e9 00 01 00 00 eb 80 c3", "0r 5r 7r"},
		{32, "e9 f0 ff bf ff", "0r"},
		{32, "e9 00 00 00 f0", "0r"},
	};

	(void)state;
	check(&fns[0]);
	assert_int_equal(nasked, 0);
	check(&fns[1]);
	assert_int_equal(nasked, 2);
	assert_int_equal(asked[0], ADDR + 5 + 0x100);
	assert_int_equal(asked[1], ADDR + 7 - 0x80);
	check(&fns[2]);
	assert_int_equal(asked[0], (uint32_t)(ADDR + 5 - 0x400010));
	check(&fns[3]);
	assert_int_equal(asked[0], (uint32_t)(ADDR + 5 - 0x10000000));
}

static void breakpoints_that_would_do_harm(void **state)
{
	static const struct function fns[] = {
		/* System calls; prefixes and opcodes that the kernel refuses. */
		{64, "90 0f 05 90 c3", "0 1s 3 4r"},
		{64, "cd 80 c3", "0s 2r"},
		{32, "cd 80 0f 34 c3", "0s 2s 4r"},
		{64, "90 f0 ff 00 c3", "0 1s 4r"},
		{64, "f4 c3", "0s 1r"},
		{64, "90 cc c3", "0 1s 2r"},
		/*
		 * A vector instruction is judged by the opcode behind its prefix: vpxor, vmovdqa,
		 * vzeroupper, vmovaps.
		 */
		{64, "c5 f9 ef c0 c3", "0s 4r"},
		{64, "c5 f9 6f c0 c3", "0s 4r"},
		{64, "c5 f8 77 c3", "0s 3r"},
		{64, "c5 f8 28 c0 c3", "0 4r"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fns) / sizeof(fns[0]); i++)
		check(&fns[i]);
}

/* Where probes move instructions, only opcodes count, not prefixes and vector instructions. */
static void moves_that_would_do_harm(void **state)
{
	static const struct function fns[] = {
		{64, "90 0f 05 90 c3", "0 1s 3 4r"},
		{64, "f4 c3", "0s 1r"},
		{64, "90 cc c3", "0 1s 2r"},
		{64, "90 f0 ff 00 c3", "0 1 4r"},
		{64, "2e 66 0f 1f 84 00 00 00 00 00 c3", "0 10r"},
		{64, "c5 f9 ef c0 c3", "0 4r"},
		{64, "c5 f8 77 c3", "0 3r"},
		{64, "62 e2 7d 48 7a c6 c3", "0 6r"},
	};

	(void)state;
	moved = true;
	for (size_t i = 0; i < sizeof(fns) / sizeof(fns[0]); i++)
		check(&fns[i]);
	moved = false;
}

static void what_is_no_code(void **state)
{
	static const struct function fns[] = {
		{64, "90 06 c3", "! 1 some bytes are no instruction"},
		{32, "90 06 c3", "0 1 2r"},
		{64, "90 48 b8 01 02", "! 1 some bytes are no instruction"},
		{64, "e8 00", "! 0 some bytes are no instruction"},
		/* The first damage is told, and what is behind it is not looked at. */
		{64, "06 74 01 66 89 c0 06", "! 0 some bytes are no instruction"},
	};
	struct insn_text huge = {
		.bytes = (const uint8_t *)"\x90", .addr = ADDR, .size = 1ULL << 32, .bits = 64};
	struct insns insns;

	(void)state;
	for (size_t i = 0; i < sizeof(fns) / sizeof(fns[0]); i++)
		check(&fns[i]);
	assert_true(insns_read(&insns, &huge, stays, asked));
	assert_string_equal(described(&insns), "! 0 its machine is not known");
	insns_free(&insns);
}

static void instructions_by_offset(void **state)
{
	struct insn_text text = text_of("55 48 89 e5 5d c3", 64);
	static const uint32_t at[] = {0, 1, 1, 1, 4, 5, 5};
	struct insns insns, none = {0};

	(void)state;
	assert_true(insns_read(&insns, &text, stays, asked));
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		assert_int_equal(insns_at(&insns, i)->offset, at[i]);
	assert_null(insns_at(&none, 0));
	insns_free(&insns);
	free((void *)text.bytes);
}

static void the_first_instruction(void **state)
{
	static const struct {
		int bits;
		const char *bytes, *text;
		size_t size;
		uint8_t opcode;
		bool harmed;
	} firsts[] = {
		{64, "55 c3", "push   %rbp", 1, 0x55, false},
		{64, "48 89 e5", "mov    %rsp,%rbp", 3, 0x89, false},
		{32, "89 e5", "mov    %esp,%ebp", 2, 0x89, false},
		{64, "66 0f 1f 44 00 00", "nopw   0x0(%rax,%rax,1)", 6, 0x0f, false},
		{64, "0f 05 c3", "syscall", 2, 0x0f, true},
		{32, "cd 80 c3", "int    $0x80", 2, 0xcd, true},
		{64, "06 c3", "(bad)", 0, 0, false},
		{64, "0f", "(bad)", 0, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
		struct insn_text text = text_of(firsts[i].bytes, firsts[i].bits);
		const uint8_t *opcode = NULL;
		char out[64];

		assert_int_equal(insn_length(&text, &opcode), firsts[i].size);
		if (firsts[i].size)
			assert_int_equal(*opcode, firsts[i].opcode);
		else
			assert_null(opcode);
		insn_print(&text, out, sizeof(out));
		assert_string_equal(out, firsts[i].text);
		insn_print(&text, out, 8);
		assert_memory_equal(out, firsts[i].text, strlen(out));
		assert_true(strlen(out) < 8);
		assert_int_equal(insn_is_harmed(&text), firsts[i].harmed);
		free((void *)text.bytes);
	}
	assert_false(insn_is_harmed(&(struct insn_text){.addr = ADDR, .bits = 64}));
	assert_int_equal(insn_length(&(struct insn_text){.addr = ADDR, .bits = 64}, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_out),
		cmocka_unit_test(jumps_by_registers),
		cmocka_unit_test(frames_are_left),
		cmocka_unit_test(targets_are_asked_for),
		cmocka_unit_test(breakpoints_that_would_do_harm),
		cmocka_unit_test(moves_that_would_do_harm),
		cmocka_unit_test(what_is_no_code),
		cmocka_unit_test(instructions_by_offset),
		cmocka_unit_test(the_first_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
