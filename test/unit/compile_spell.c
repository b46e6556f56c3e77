/* SPDX-License-Identifier: MIT */
/* compile_spell.c - which known name is taken to be meant by an unknown one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "spell.h"

static const char *spelled(const char *wanted, const char *const *names)
{
	dt_spell_t n;

	spell_begin(&n, wanted);
	for (; *names; names++)
		spell_try(&n, *names);
	return n.name;
}

static const char *const names[] = {"pid", "ppid", "execname", "timestamp", "walltimestamp",
				    "x",   "self", "printf",   "printa",    NULL};

static void the_order_of_names_is_no_matter(void **state)
{
	static const char *const one[] = {"func", "ufunc", "vfunc", NULL};
	static const char *const other[] = {"vfunc", "ufunc", "func", NULL};

	(void)state;
	assert_string_equal(spelled("nofunc", one), "ufunc");
	assert_string_equal(spelled("nofunc", other), "ufunc");
}

static void one_mistake(void **state)
{
	(void)state;
	assert_string_equal(spelled("exename", names), "execname");   /* one too few */
	assert_string_equal(spelled("eexecname", names), "execname"); /* one too many */
	assert_string_equal(spelled("execnome", names), "execname");  /* another */
	assert_string_equal(spelled("execanme", names), "execname");  /* two swapped */
	assert_string_equal(spelled("EXECNAME", names), "execname");  /* no mistake at all */
}

static void the_closest_wins(void **state)
{
	(void)state;
	assert_string_equal(spelled("printb", names), "printa"); /* the first of two, by name */
	assert_string_equal(spelled("pprid", names), "ppid");
	assert_string_equal(spelled("timestmp", names), "timestamp");
}

static void nothing_is_near(void **state)
{
	(void)state;
	assert_null(spelled("y", names));
	assert_null(spelled("ab", names));
	assert_null(spelled("tid_of", names));
	assert_null(spelled("completely", names));
	assert_null(spelled("", names));
}

/* Names that no row of the comparison has space for. */
static void names_that_are_too_long(void **state)
{
	char longest[65], longer[66];
	const char *const known[] = {longest, longer, NULL};

	(void)state;
	for (int i = 0; i < 65; i++)
		longest[i] = longer[i] = 'a';
	longest[64] = longer[65] = '\0';
	assert_ptr_equal(spelled(longest, known), longest);
	assert_null(spelled(longer, known));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_names_is_no_matter),
		cmocka_unit_test(one_mistake),
		cmocka_unit_test(the_closest_wins),
		cmocka_unit_test(nothing_is_near),
		cmocka_unit_test(names_that_are_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
