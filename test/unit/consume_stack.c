/* SPDX-License-Identifier: MIT */
/*
 * consume_stack.c - stacks as they are printed: what helpers say of frames, in names, notes and
 * several lines, and how many frames there may be.
 */
#include <string.h>
#include "consume_fake.h"

#define FRAMES	4
#define STRSIZE 64
#define NOBODY	0x7ffffff0 /* a process that is not there: its addresses have no names */

static struct {
	uint64_t words[1 + FRAMES];
	char strs[STRSIZE];
} stack;
static dtrace_recdesc_t rec;

static void print_stack(FILE *fp, void *arg)
{
	(void)arg;
	dt_frames_print(dtp, fp, &rec, &stack, 0, 0);
}

/* The lines of n frames at 0x1000, 0x2000 and so on; strs: what helpers say, one string a frame. */
static const char *printed(unsigned int n, const char *strs, size_t len)
{
	memset(&stack, 0, sizeof(stack));
	stack.words[0] = NOBODY;
	for (unsigned int i = 1; i <= n; i++)
		stack.words[i] = 0x1000ULL * i;
	memcpy(stack.strs, strs, len);
	rec = (dtrace_recdesc_t){.dtrd_action = DTRACEACT_JSTACK,
				 .dtrd_size = sizeof(stack),
				 .dtrd_arg = DTRACE_USTACK_ARG(FRAMES, STRSIZE)};
	return captured(print_stack, NULL);
}

#define PRINTED(n, strs) printed(n, strs, sizeof(strs))

static void addresses_without_names(void **state)
{
	(void)state;
	assert_string_equal(PRINTED(2, ""), "0x1000\n0x2000\n");
	assert_string_equal(PRINTED(0, ""), "");
	assert_string_equal(PRINTED(FRAMES, ""), "0x1000\n0x2000\n0x3000\n0x4000\n");
}

static void names_stand_for_addresses(void **state)
{
	(void)state;
	assert_string_equal(PRINTED(2, "one\0two"), "one\ntwo\n");
	assert_string_equal(PRINTED(3, "\0two"), "0x1000\ntwo\n0x3000\n");
}

/* A name that does not end in the record is none. */
static void names_end_in_their_record(void **state)
{
	char strs[STRSIZE];

	(void)state;
	memset(strs, 'x', sizeof(strs));
	assert_string_equal(printed(1, strs, sizeof(strs)), "0x1000\n");
	strs[1] = '\0';
	assert_string_equal(printed(2, strs, sizeof(strs)), "x\n0x2000\n");
}

static void notes_are_beside_their_frames(void **state)
{
	(void)state;
	assert_string_equal(PRINTED(2, "@note\0two"), "0x1000\n  [ note ]\ntwo\n");
	assert_string_equal(PRINTED(1, "one\n@note"), "one\n  [ note ]\n");
}

static void lines_are_frames(void **state)
{
	(void)state;
	assert_string_equal(PRINTED(2, "one\ninner\0two"), "one\ninner\ntwo\n");
	assert_string_equal(PRINTED(1, "one\n@first\ninner\n@second"),
			    "one\n  [ first ]\ninner\n  [ second ]\n");
	/* a note to nothing is no frame, nor is an empty line */
	assert_string_equal(PRINTED(2, "one\n@first\n@second\0two"), "one\n  [ first ]\ntwo\n");
	assert_string_equal(PRINTED(2, "one\n\ninner\0two"), "one\ninner\ntwo\n");
	/* lines beyond the number of frames are dropped, and frames behind them */
	assert_string_equal(PRINTED(2, "1\n2\n3\n4\n5\0two"), "1\n2\n3\n4\n");
	assert_string_equal(PRINTED(2, "1\n2\n3\0two"), "1\n2\n3\ntwo\n");
}

/* A helper is a process's own, and its texts end up on the terminal of whoever traces. */
static void texts_have_no_control_characters(void **state)
{
	(void)state;
	assert_string_equal(PRINTED(2, "one\033[2J\0\302\233m\303\251"),
			    "one?[2J\n?\233m\303\251\n");
	assert_string_equal(PRINTED(1, "one\n@\a"), "one\n  [ ? ]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_without_names),
		cmocka_unit_test(names_stand_for_addresses),
		cmocka_unit_test(names_end_in_their_record),
		cmocka_unit_test(notes_are_beside_their_frames),
		cmocka_unit_test(lines_are_frames),
		cmocka_unit_test(texts_have_no_control_characters),
	};

	return cmocka_run_group_tests(tests, fake_setup, fake_teardown);
}
