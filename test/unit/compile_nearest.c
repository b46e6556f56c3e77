/* SPDX-License-Identifier: MIT */
/* compile_nearest.c - which known name is taken to be meant by an unknown one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "compile/nearest.h"

static const char *nearest(const char *wanted, const char *const *names)
{
	dt_nearest_t n;

	nearest_begin(&n, wanted);
	for (; *names; names++)
		nearest_try(&n, *names);
	return n.name;
}

static const char *const names[] = {"pid",   "ppid",  "execname", "timestamp",	   "walltimestamp",
				    "x",     "self",  "printf",	  "printa",	   NULL};

static void one_mistake(void **state)
{
	(void)state;
	assert_string_equal(nearest("exename", names), "execname"); /* one too few */
	assert_string_equal(nearest("eexecname", names), "execname"); /* one too many */
	assert_string_equal(nearest("execnome", names), "execname"); /* another */
	assert_string_equal(nearest("execanme", names), "execname"); /* two swapped */
	assert_string_equal(nearest("EXECNAME", names), "execname"); /* no mistake at all */
}

static void the_nearest_wins(void **state)
{
	(void)state;
	assert_string_equal(nearest("printb", names), "printf"); /* the first of two */
	assert_string_equal(nearest("pprid", names), "ppid");
	assert_string_equal(nearest("timestmp", names), "timestamp");
}

static void nothing_is_near(void **state)
{
	(void)state;
	assert_null(nearest("y", names));
	assert_null(nearest("ab", names));
	assert_null(nearest("tid_of", names));
	assert_null(nearest("completely", names));
	assert_null(nearest("", names));
}

/* Names that no row of the comparison has room for. */
static void names_that_are_too_long(void **state)
{
	char longest[65], longer[66];
	const char *const known[] = {longest, longer, NULL};

	(void)state;
	for (int i = 0; i < 65; i++)
		longest[i] = longer[i] = 'a';
	longest[64] = longer[65] = '\0';
	assert_ptr_equal(nearest(longest, known), longest);
	assert_null(nearest(longer, known));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_mistake),
		cmocka_unit_test(the_nearest_wins),
		cmocka_unit_test(nothing_is_near),
		cmocka_unit_test(names_that_are_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
