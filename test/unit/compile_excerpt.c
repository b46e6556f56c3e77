/* SPDX-License-Identifier: MIT */
/* compile_excerpt.c - lines of programs with a caret below them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "excerpt.h"

static void shows(const char *text, size_t at, int column, const char *expected)
{
	struct arena arena = {0};
	jmp_buf nomem;
	int found;

	arena.nomem = &nomem;
	if (setjmp(nomem) != 0)
		fail();
	assert_string_equal(excerpt_make(&arena, text, text + at, &found), expected);
	assert_int_equal(found, column);
	arena_free(&arena);
}

static void plain(void **state)
{
	(void)state;
	shows("one\ntwo\nthree", 5, 1, "two\n ^");
	shows("one\ntwo\n", 7, 3, "two\n   ^");
	shows("one\n", 4, 0, "\n^");
	shows("", 0, 0, "\n^");
}

/* Below a tab stands a tab, so that both lines have the same width wherever they begin. */
static void tabs(void **state)
{
	(void)state;
	shows("\tx\ty", 3, 16, "\tx\ty\n\t \t^");
}

static void not_ascii(void **state)
{
	(void)state;
	shows("\xc3\xa4 x", 3, 2, "\xc3\xa4 x\n  ^");	       /* one column */
	shows("\xe4\xb8\xad x", 4, 3, "\xe4\xb8\xad x\n   ^"); /* two */
	shows("e\xcc\x81 x", 4, 2, "e\xcc\x81 x\n  ^");	       /* none by itself */
	shows("\xff\x01\x1b x", 4, 4, "... x\n    ^");	       /* nothing to be shown */
	shows("x\xe4\xb8", 1, 1, "x..\n ^");		       /* cut off */
}

/* Of a line longer than a hundred columns a part is shown. */
static void long_lines(void **state)
{
	char text[400], expected[400];

	(void)state;
	memset(text, 'a', 399);
	text[399] = '\0';
	text[200] = 'b';
	memset(expected, 0, sizeof(expected));
	memset(expected, 'a', 106);
	memcpy(expected, "...", 3);
	memcpy(expected + 103, "...", 3);
	expected[63] = 'b';
	expected[106] = '\n';
	memset(expected + 107, ' ', 63);
	expected[170] = '^';
	shows(text, 200, 63, expected);
	memset(expected, 0, sizeof(expected));
	memset(expected, 'a', 100);
	memcpy(expected + 100, "...\n^", 5);
	shows(text, 0, 0, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(tabs),
		cmocka_unit_test(not_ascii),
		cmocka_unit_test(long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
