/* SPDX-License-Identifier: MIT */
/* compile_create.c - probes of processes are created after the whole program has been parsed. */
#include <stdio.h>
#include <unistd.h>
#include "consume_fake.h"

int probed(int x);
int __attribute__((noinline)) probed(int x)
{
	return x + 1;
}

/* chosen() is chosen when the program begins, before the sanitiser has begun. */
int chosen(int x);
static int __attribute__((noinline)) choice(int x)
{
	return x + 2;
}

static int __attribute__((noinline, unused)) other(int x)
{
	return x + 3;
}

static int (*__attribute__((no_sanitize("address", "undefined"), used)) choose(void))(int)
{
	return choice;
}

int __attribute__((ifunc("choose"))) chosen(int x);

static int setup(void **state)
{
	fake_setup(state);
	fake.processes = true;
	return 0;
}

/* The statements are the compiler's. */
static int teardown(void **state)
{
	(void)state;
	fake_end();
	return 0;
}

/* Compile a program that begins with a clause for probed(); return whether that succeeds. */
static bool compiles(const char *rest)
{
	char text[256];

	snprintf(text, sizeof(text), "pid%d:a.out:probed:entry { n++; } %s", getpid(), rest);
	return dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME,
					 DTRACE_C_NOLIBS | DTRACE_C_ZDEFS, 0, NULL);
}

static void correct(void **state)
{
	(void)state;
	if (!compiles("BEGIN { x = 1; }"))
		fail_msg("%s", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	assert_int_equal(fake.registrations, 1);
}

static void syntax_error_in_the_last_clause(void **state)
{
	(void)state;
	assert_false(compiles("BEGIN { x = ; }"));
	assert_int_equal(fake.registrations, 0);
	assert_false(compiles("int y; BEGIN { exit(0)"));
	assert_int_equal(fake.registrations, 0);
	assert_false(compiles("inline int y = 1; BEGIN / y"));
	assert_int_equal(fake.registrations, 0);
}

/* A declaration after the clause is at fault, not one that needs what the clause assigns. */
static void wrong_declaration(void **state)
{
	(void)state;
	assert_false(compiles("int y[]; BEGIN { }"));
	assert_int_equal(fake.registrations, 0);
}

/*
 * The probe of an ifunc is at the function that was chosen. Nothing is known of an ifunc that was
 * never called.
 */
static void ifuncs(void **state)
{
	char text[128];

	(void)state;
	snprintf(text, sizeof(text), "pid%d:a.out:chosen:entry", getpid());
	if (!dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME,
				       DTRACE_C_NOLIBS | DTRACE_C_ZDEFS, 0, NULL))
		fail_msg("%s", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	assert_int_equal(fake.registrations, 1);
	assert_int_equal(fake.site, (uintptr_t)choice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(correct, setup, teardown),
		cmocka_unit_test_setup_teardown(syntax_error_in_the_last_clause, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_declaration, setup, teardown),
		cmocka_unit_test_setup_teardown(ifuncs, setup, teardown),
	};

	return probed(-1) || chosen(-2) || cmocka_run_group_tests(tests, NULL, NULL);
}
