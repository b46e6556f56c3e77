/* SPDX-License-Identifier: MIT */
/* pid_object.c - the extents, parts and frames of functions, of which this file has every kind. */
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "../../libdtrace/pid/impl.h"
#include "consume_fake.h"

/*
 * Function      named   has a size   has a frame
 * sized         yes     yes          yes
 * inner         yes     yes          that of sized
 * unsized       yes     no           yes
 * bare          yes     no           no; code that has only a frame follows
 * split         yes     yes          yes; its part split.cold is elsewhere
 */
extern const char sized[], sized_pushed[], sized_rbp[], inner[], unsized[], bare[], nameless[],
	split[], split_cold[], last[];
__asm__(".pushsection .text.pid_object, \"ax\", @progbits\n"
	".globl sized, sized_pushed, sized_rbp, inner, unsized, bare, split, last\n"
	".hidden nameless, split_cold\n"
	".globl nameless, split_cold\n"
	".type sized, @function\n"
	"sized:	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"sized_pushed:\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register rbp\n"
	"sized_rbp:\n"
	"	nop\n"
	".type inner, @function\n"
	"inner:	pop %rbp\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size inner, . - inner\n"
	".size sized, . - sized\n"
	"	.skip 16, 0x90\n"
	".type unsized, @function\n"
	"unsized: .cfi_startproc\n"
	"	.skip 7, 0x90\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.skip 16, 0x90\n"
	".type bare, @function\n"
	"bare:	.skip 5, 0x90\n"
	"	ret\n"
	"nameless: .cfi_startproc\n"
	"	.skip 11, 0x90\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".type split, @function\n"
	"split:	.cfi_startproc\n"
	"	.skip 3, 0x90\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size split, . - split\n"
	".type last, @function\n"
	"last:	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size last, . - last\n"
	".type split.cold, @function\n"
	"split_cold:\n"
	"split.cold: .cfi_startproc\n"
	"	.skip 2, 0x90\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size split.cold, . - split.cold\n"
	".popsection\n");

static struct dt_pid pd;
static struct pid_maps maps;
static struct mapped_object mapped;

static int setup(void **state)
{
	fake_setup(state);
	pd = (struct dt_pid){.dtp = dtp};
	return pid_maps_read(&maps, getpid()) &&
			       mapped_object_init(&mapped, &pd, getpid(), pid_maps_program(&maps))
		       ? 0
		       : -1;
}

static int teardown(void **state)
{
	pid_files_free(pd.files);
	pid_maps_free(&maps);
	maps = (struct pid_maps){0};
	return fake_teardown(state);
}

/* Return an address in the file. */
static uint64_t at(const char *code)
{
	return (uintptr_t)code - mapped.bias;
}

/* Check the function around an address. */
static void check_extent(const char *addr, const char *start, uint64_t size)
{
	uint64_t found, length;

	assert_true(pid_object_extent(mapped.obj, at(addr), &found, &length));
	assert_int_equal(found, at(start));
	assert_int_equal(length, size);
}

static void extents_are_those_of_symbols_or_frames(void **state)
{
	(void)state;
	check_extent(sized, sized, inner + 2 - sized);
	check_extent(sized_rbp, sized, inner + 2 - sized);
	check_extent(inner, inner, 2);
	check_extent(inner + 1, inner, 2);
	check_extent(unsized + 7, unsized, 8);
	check_extent(bare + 5, bare, split - bare);
	check_extent(nameless, nameless, 12);
	check_extent(nameless + 11, nameless, 12);
	check_extent(split, split, 4);
}

static void code_without_a_name_is_known_by_its_frame(void **state)
{
	uint64_t part = 0;

	(void)state;
	assert_true(pid_object_nameless(mapped.obj, at(nameless + 3), &part));
	assert_int_equal(part, at(nameless));
	assert_false(pid_object_nameless(mapped.obj, at(unsized), &part));
	assert_false(pid_object_nameless(mapped.obj, at(sized_rbp), &part));
	assert_false(pid_object_nameless(mapped.obj, at(bare), &part));
}

static void frames_are_there_after_a_push(void **state)
{
	(void)state;
	assert_false(pid_object_has_frame(mapped.obj, at(sized)));
	assert_true(pid_object_has_frame(mapped.obj, at(sized_pushed)));
	assert_true(pid_object_has_frame(mapped.obj, at(sized_rbp)));
	assert_false(pid_object_has_frame(mapped.obj, at(inner + 1)));
	assert_false(pid_object_has_frame(mapped.obj, 0));
}

static void parts_have_the_name_of_their_function(void **state)
{
	uint64_t part = 0;

	(void)state;
	assert_true(pid_object_same(mapped.obj, at(split), at(split_cold + 1), &part));
	assert_int_equal(part, at(split_cold));
	assert_true(pid_object_same(mapped.obj, at(split), at(split + 2), &part));
	assert_int_equal(part, at(split));
	assert_false(pid_object_same(mapped.obj, at(split), at(last), &part));
	assert_false(pid_object_same(mapped.obj, at(last), at(split_cold), &part));
	assert_false(pid_object_same(mapped.obj, at(sized), at(inner + 2), &part));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(extents_are_those_of_symbols_or_frames),
		TEST(code_without_a_name_is_known_by_its_frame),
		TEST(frames_are_there_after_a_push),
		TEST(parts_have_the_name_of_their_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
