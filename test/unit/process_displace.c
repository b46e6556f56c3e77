/* SPDX-License-Identifier: MIT */
/* process_displace.c - unit tests of moved instructions: they do what the originals do. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include "process/displace.h"

/* ---- what is read ---- */

struct reading {
	const char *bytes;
	size_t size;
	enum displace_kind kind;
	uint64_t target;
};

#define BYTES(text) text, sizeof(text) - 1
#define AT	    0x10000

static const struct reading readings[] = {
	{BYTES("\x55"), DISPLACE_COPY, 0},
	{BYTES("\xf3\x0f\x1e\xfa"), DISPLACE_COPY, 0},
	{BYTES("\x48\x8b\x05\x10\x00\x00\x00"), DISPLACE_OPERAND, AT + 0x17},
	{BYTES("\x48\x8d\x0d\xf0\xff\xff\xff"), DISPLACE_OPERAND, AT - 9},
	{BYTES("\x83\x3d\x20\x00\x00\x00\x05"), DISPLACE_OPERAND, AT + 0x27},
	{BYTES("\xc7\x05\x20\x00\x00\x00\x01\x02\x03\x04"), DISPLACE_OPERAND, AT + 0x2a},
	{BYTES("\xf2\x0f\x10\x05\x08\x00\x00\x00"), DISPLACE_OPERAND, AT + 0x10},
	{BYTES("\xc5\xfb\x10\x05\x08\x00\x00\x00"), DISPLACE_OPERAND, AT + 0x10},
	{BYTES("\xc4\xe2\x7d\x18\x05\x07\x00\x00\x00"), DISPLACE_OPERAND, AT + 0x10},
	{BYTES("\x62\xf1\xfe\x48\x6f\x05\x06\x00\x00\x00"), DISPLACE_OPERAND, AT + 0x10},
	{BYTES("\x66\x0f\x3a\x0f\x05\x06\x00\x00\x00\x04"), DISPLACE_OPERAND, AT + 0x10},
	{BYTES("\xc5\xf8\x77"), DISPLACE_COPY, 0},
	{BYTES("\xf0\x0f\xb1\x15\x08\x00\x00\x00"), DISPLACE_OPERAND, AT + 0x10},
	{BYTES("\x48\xa1\x05\x00\x00\x00\x05\x00\x00\x00"), DISPLACE_COPY, 0},
	{BYTES("\xb8\x05\x00\x00\x00"), DISPLACE_COPY, 0},
	{BYTES("\x0f\x05"), DISPLACE_COPY, 0},
	{BYTES("\xc3"), DISPLACE_LEAVE, 0},
	{BYTES("\xf3\xc3"), DISPLACE_LEAVE, 0},
	{BYTES("\xc2\x08\x00"), DISPLACE_LEAVE, 0},
	{BYTES("\xff\xe0"), DISPLACE_LEAVE, 0},
	{BYTES("\x3e\xff\xe2"), DISPLACE_LEAVE, 0},
	{BYTES("\xff\x25\x0a\x00\x00\x00"), DISPLACE_LEAVE, AT + 0x10},
	{BYTES("\xeb\xfe"), DISPLACE_JUMP, AT},
	{BYTES("\xe9\x0b\x00\x00\x00"), DISPLACE_JUMP, AT + 0x10},
	{BYTES("\x74\x0e"), DISPLACE_JUMP_IF, AT + 0x10},
	{BYTES("\x0f\x8f\x0a\x00\x00\x00"), DISPLACE_JUMP_IF, AT + 0x10},
	{BYTES("\xe3\x0e"), DISPLACE_JUMP_COUNTED, AT + 0x10},
	{BYTES("\xe2\xfe"), DISPLACE_JUMP_COUNTED, AT},
	{BYTES("\xe8\x0b\x00\x00\x00"), DISPLACE_CALL, AT + 0x10},
	{BYTES("\x66\x66\x48\xe8\x08\x00\x00\x00"), DISPLACE_CALL, AT + 0x10},
	{BYTES("\xff\xd0"), DISPLACE_CALL_BY, 0},
	{BYTES("\xff\x15\x0a\x00\x00\x00"), DISPLACE_CALL_BY, AT + 0x10},
	{BYTES("\xff\x54\x24\x08"), DISPLACE_CALL_BY, 0},
};

static void kinds_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
		const struct reading *r = &readings[i];
		struct displace insn;
		const char *why = displace_read(&insn, (const uint8_t *)r->bytes, r->size, AT);

		if (why || insn.size != r->size || insn.kind != r->kind || insn.target != r->target)
			fail_msg("reading %zu: %s, size %u, kind %d, target %#llx", i,
				 why ? why : "", insn.size, insn.kind,
				 (unsigned long long)insn.target);
	}
}

static const struct {
	const char *bytes;
	size_t size;
	const char *why;
} refused[] = {
	{BYTES("\xcc"), "it is a trap, whose handler may want to know where it is"},
	{BYTES("\x0f\x0b"), "it is a trap, whose handler may want to know where it is"},
	{BYTES("\xcf"), "it returns to another segment of code"},
	{BYTES("\xff\x2d\x00\x00\x00\x00"), "it goes to another segment of code"},
	{BYTES("\xf4"), "it is one that no program may execute"},
	{BYTES("\xc7\xf8\x00\x00\x00\x00"), "it begins a transaction"},
	{BYTES("\xff\xd4"), "it calls by the stack pointer"},
	{BYTES("\xff\x54\x24\xf8"), "it calls by an address that it overwrites"},
	{BYTES("\x67\x8b\x05\x00\x00\x00\x00"), "it has an address of 32 bits relative to itself"},
	{BYTES("\x66\xe8\x00\x00\x00\x00"),
	 "it has an operand size that processors understand differently"},
	{BYTES("\x06"), "it is no instruction that is known"},
	{BYTES("\x48"), "it is no instruction that is known"},
};

static void some_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct displace insn;
		const char *why = displace_read(&insn, (const uint8_t *)refused[i].bytes,
						refused[i].size, AT);

		if (!why || strcmp(why, refused[i].why) != 0)
			fail_msg("refused %zu: %s", i, why ? why : "(not)");
	}
}

static void far_away_is_not_reached(void **state)
{
	struct displace insn;

	(void)state;
	assert_null(
		displace_read(&insn, (const uint8_t *)"\x8b\x05\x00\x00\x00\x70", 6, 1ULL << 40));
	assert_true(displace_reaches(&insn, (1ULL << 40) + 0x1000));
	assert_true(displace_reaches(&insn, (1ULL << 40) + 0x7ffff000));
	assert_false(displace_reaches(&insn, (1ULL << 40) - 0x70000000));
	assert_false(displace_reaches(&insn, (1ULL << 40) + 0x80001000));
	assert_null(displace_read(&insn, (const uint8_t *)"\xc3", 1, 1ULL << 40));
	assert_true(displace_reaches(&insn, 1ULL << 20));
}

/* ---- what is done ---- */

struct regs {
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8, r9, r10, r11, r12, r13, r14, r15,
		flags;
};
void run(struct regs *regs, const void *code);
extern const char run_done[];

#define WHERE  ((unsigned char *)0x200000000000)
#define APART  0x40000000
#define SIZE   0x4000
#define CODE   0x1000 /* offset of the instruction */
#define TARGET 0x1040 /* of where it may jump to */
#define DATA   0x2000
#define STACK  0x3800
#define FLAGS  0x8d7 /* those of arithmetic, and one that is always set */

/*
 * The area of a run: an instruction at CODE. Behind it and at TARGET is code that ends the run. The
 * code at TARGET changes r15, to be told from the other.
 */
static unsigned char *area_map(unsigned char *at)
{
	unsigned char *area = mmap(at, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_ptr_equal(area, at);
	return area;
}

static void end_write(unsigned char *at)
{
	const uint64_t done = (uintptr_t)run_done;

	memcpy(at, "\xff\x25\x00\x00\x00\x00", 6);
	memcpy(at + 6, &done, 8);
}

static void area_fill(unsigned char *area, const struct displace *insn)
{
	for (int i = 0; i < SIZE; i++)
		area[i] = (unsigned char)(i * 7 + (i >> 8));
	memcpy(area + CODE, insn->bytes, insn->size);
	end_write(area + CODE + insn->size);
	memcpy(area + TARGET, "\x4d\x8d\x7f\x01", 4); /* lea 1(%r15),%r15 */
	end_write(area + TARGET + 4);
}

static void regs_fill(struct regs *regs, unsigned char *area, int seed)
{
	uint64_t *words = (uint64_t *)regs, target = (uintptr_t)(area + TARGET);

	for (int i = 0; i < 16; i++)
		words[i] = 0x9e3779b97f4a7c15 * (unsigned int)(i + seed + 1);
	regs->rsp = (uintptr_t)(area + STACK);
	regs->rbp = regs->rsp + 64;
	regs->rsi = regs->rdi = (uintptr_t)(area + DATA + 256);
	regs->rcx = (unsigned int)seed % 3;
	regs->rbx = target;
	regs->r11 = (uintptr_t)(area + DATA + 128);
	regs->r12 = (uintptr_t)(area + DATA + 64);
	regs->flags = 0x202 | ((unsigned int)(seed * 0x155) & 0xcd5 & FLAGS);
	for (unsigned char *at = area + STACK; at < area + STACK + 128; at += 8)
		memcpy(at, &target, 8);
	for (unsigned char *at = area + DATA; at < area + DATA + 512; at += 8)
		memcpy(at, &target, 8);
}

/* By the offset of TARGET from CODE + 16, which relative operands and jumps are written for. */
static const struct {
	const char *bytes;
	size_t size;
	bool relative; /* the copy without a change would do something else */
} done[] = {
	{BYTES("\x55"), false},					   /* push %rbp */
	{BYTES("\x41\x5f"), false},				   /* pop %r15 */
	{BYTES("\x54"), false},					   /* push %rsp */
	{BYTES("\xc9"), false},					   /* leave */
	{BYTES("\x48\x83\xec\x18"), false},			   /* sub $24,%rsp */
	{BYTES("\xf3\x0f\x1e\xfa"), false},			   /* endbr64 */
	{BYTES("\x48\x89\x44\x24\xf8"), false},			   /* mov %rax,-8(%rsp) */
	{BYTES("\x48\x8b\x05\xf9\x0f\x00\x00"), true},		   /* mov DATA(%rip),%rax */
	{BYTES("\x48\x8d\x0d\xf9\x0f\x00\x00"), true},		   /* lea DATA(%rip),%rcx */
	{BYTES("\x48\x29\x05\xf9\x0f\x00\x00"), true},		   /* sub %rax,DATA(%rip) */
	{BYTES("\x81\x05\xf6\x0f\x00\x00\x01\x02\x03\x04"), true}, /* addl $..,DATA(%rip) */
	{BYTES("\x80\x3d\xf9\x0f\x00\x00\x07"), true},		   /* cmpb $7,DATA(%rip) */
	{BYTES("\xf0\x0f\xc1\x05\xf8\x0f\x00\x00"), true},	   /* lock xadd %eax,DATA(%rip) */
	{BYTES("\x48\x0f\xbe\x05\xf8\x0f\x00\x00"), true},	   /* movsbq DATA(%rip),%rax */
	{BYTES("\xff\x35\xfa\x0f\x00\x00"), true},		   /* push DATA(%rip) */
	{BYTES("\x0f\x95\x05\xf9\x0f\x00\x00"), true},		   /* setne DATA(%rip) */
	{BYTES("\x48\xab"), false},				   /* stos */
	{BYTES("\xf3\x48\xa5"), false},				   /* rep movs */
	{BYTES("\x48\x11\xd8"), false},				   /* adc %rbx,%rax */
	{BYTES("\xeb\x3e"), false},				   /* jmp TARGET */
	{BYTES("\xe9\x3b\x00\x00\x00"), false},
	{BYTES("\x74\x3e"), false}, /* je TARGET, and so on */
	{BYTES("\x75\x3e"), false},
	{BYTES("\x72\x3e"), false},
	{BYTES("\x70\x3e"), false},
	{BYTES("\x7f\x3e"), false},
	{BYTES("\x0f\x8e\x3a\x00\x00\x00"), false},
	{BYTES("\x0f\x8b\x3a\x00\x00\x00"), false},
	{BYTES("\xe3\x3e"), false},	/* jrcxz TARGET */
	{BYTES("\x67\xe3\x3d"), false}, /* jecxz */
	{BYTES("\xe2\x3e"), false},	/* loop */
	{BYTES("\xe1\x3e"), false},	/* loope */
	{BYTES("\xe0\x3e"), false},	/* loopne */
	{BYTES("\xc3"), false},		/* ret */
	{BYTES("\xf3\xc3"), false},
	{BYTES("\xc2\x10\x00"), false},
	{BYTES("\xe8\x3b\x00\x00\x00"), false}, /* call TARGET */
	{BYTES("\x66\x66\x48\xe8\x38\x00\x00\x00"), false},
	{BYTES("\xff\xd3"), false},			/* call *%rbx */
	{BYTES("\xff\x15\xfa\x0f\x00\x00"), true},	/* call *DATA(%rip) */
	{BYTES("\xff\x14\x24"), false},			/* call *(%rsp) */
	{BYTES("\xff\x54\x24\x08"), false},		/* call *8(%rsp) */
	{BYTES("\xff\x94\x24\x10\x00\x00\x00"), false}, /* call *16(%rsp) */
	{BYTES("\x41\xff\x14\x24"), false},		/* call *(%r12) */
	{BYTES("\x41\xff\x54\x24\x08"), false},		/* call *8(%r12) */
	{BYTES("\x41\xff\x53\x08"), false},		/* call *8(%r11) */
	{BYTES("\xff\x55\x00"), false},			/* call *(%rbp) */
	{BYTES("\x41\xff\x14\xcc"), false},		/* call *(%r12,%rcx,8) */
	{BYTES("\xff\x64\x24\x08"), false},		/* jmp *8(%rsp) */
	{BYTES("\xff\x25\xfa\x0f\x00\x00"), true},	/* jmp *DATA(%rip) */
	{BYTES("\xff\xe3"), false},			/* jmp *%rbx */
};

/* Run an instruction at its address, or moved to another; save the area's contents afterwards. */
static void run_once(unsigned char *area, unsigned char *elsewhere, const struct displace *insn,
		     bool moved, int seed, struct regs *regs, unsigned char *after)
{
	area_fill(area, insn);
	regs_fill(regs, area, seed);
	if (moved) {
		assert_true(displace_reaches(insn, (uintptr_t)elsewhere));
		memset(elsewhere, 0xcc, DISPLACE_CODE + 16);
		displace_write(insn, (uintptr_t)elsewhere, elsewhere);
		assert_int_equal(elsewhere[displace_size(insn)], 0xcc);
	}
	run(regs, moved ? elsewhere : area + CODE);
	regs->flags &= FLAGS;
	memcpy(after, area, SIZE);
}

static void moved_code_does_the_same(void **state)
{
	static unsigned char here[SIZE], there[SIZE];
	unsigned char *area = area_map(WHERE);
	unsigned char *copies[] = {area_map(WHERE + APART), area_map(WHERE - APART)};

	(void)state;
	for (size_t i = 0; i < sizeof(done) / sizeof(done[0]); i++)
		for (int seed = 0; seed < 12; seed++) {
			unsigned char *copy = copies[seed % 2];
			struct displace insn;
			struct regs a, b;

			assert_null(displace_read(&insn, (const uint8_t *)done[i].bytes,
						  done[i].size, (uintptr_t)(area + CODE)));
			assert_int_equal(insn.relative != 0, done[i].relative);
			run_once(area, copy, &insn, false, seed, &a, here);
			run_once(area, copy, &insn, true, seed, &b, there);
			if (memcmp(&a, &b, sizeof(a)) != 0)
				fail_msg("instruction %zu, seed %d: registers differ", i, seed);
			if (memcmp(here, there, SIZE) != 0)
				fail_msg("instruction %zu, seed %d: memory differs", i, seed);
		}
	munmap(area, SIZE);
	munmap(copies[0], SIZE);
	munmap(copies[1], SIZE);
}

/* Control: the comparison sees a copy whose distance was not changed. */
static void unchanged_copy_differs(void **state)
{
	static unsigned char here[SIZE], there[SIZE];
	unsigned char *area = area_map(WHERE), *copy = area_map(WHERE + APART);
	struct displace insn;
	struct regs a, b;

	(void)state;
	assert_null(displace_read(&insn, (const uint8_t *)"\x48\x29\x05\xf9\x0f\x00\x00", 7,
				  (uintptr_t)(area + CODE)));
	run_once(area, copy + CODE, &insn, false, 1, &a, here);
	insn.relative = 0;
	run_once(area, copy + CODE, &insn, true, 1, &b, there);
	assert_int_not_equal(memcmp(here, there, SIZE), 0);
	munmap(area, SIZE);
	munmap(copy, SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_known),
		cmocka_unit_test(some_are_refused),
		cmocka_unit_test(far_away_is_not_reached),
		cmocka_unit_test(moved_code_does_the_same),
		cmocka_unit_test(unchanged_copy_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
