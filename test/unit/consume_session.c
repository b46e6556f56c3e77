/* SPDX-License-Identifier: MIT */
/*
 * consume_session.c - what a session says when the module does not let it begin, and before it has
 * begun.
 */
#include <errno.h>
#include <string.h>
#include "consume_fake.h"

/* The program for ERROR is the compiler's, its statements too. */
static int teardown(void **state)
{
	(void)state;
	dtrace_close(dtp);
	return 0;
}

static void why_it_does_not_begin(void **state)
{
	static const struct {
		int error, said;
	} cases[] = {
		{ENOMEM, EDT_BUFTOOBIG}, {ENOSPC, EDT_BUFTOOSMALL},
		{E2BIG, EDT_ENDTOOBIG},	 {EDQUOT, EDT_USERMEM},
		{EBUSY, EBUSY},		 {EINTR, EINTR},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake.go_error = cases[i].error;
		assert_int_equal(dtrace_go(dtp), -1);
		assert_int_equal(dtrace_errno(dtp), cases[i].said);
		assert_false(dtp->active);
	}
	fake.go_error = 0;
	fake.optget_error = EPERM;
	assert_int_equal(dtrace_go(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EPERM);
	assert_false(dtp->active);
}

/* Rates count from the beginning: nothing is due at once. */
static void it_begins(void **state)
{
	struct dt_session *se;
	uint64_t before = dt_now();

	(void)state;
	fake.optget_value = 12345;
	assert_int_equal(dtrace_stop(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_INACTIVE);
	assert_int_equal(dtrace_go(dtp), 0);
	assert_true(dtp->active);
	assert_int_equal(dtp->begincpu, FAKE_CPU);
	assert_int_equal(dtp->options[DTRACEOPT_BUFSIZE], 12345);
	assert_int_equal(dtp->options[DTRACEOPT_CLEANRATE], 12345);
	se = dt_session(dtp);
	assert_true(se->nextswitch > before);
	assert_true(se->nextagg > before);
	assert_true(se->nextstatus > before);
	assert_int_equal(dtrace_go(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_ACTIVE);
}

static dtrace_prog_t *compiled(const char *text)
{
	dtrace_prog_t *prog = dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME,
							DTRACE_C_NOLIBS | DTRACE_C_ZDEFS, 0, NULL);

	if (!prog)
		fail_msg("%s", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	return prog;
}

static void programs_are_enabled(void **state)
{
	dtrace_prog_t *prog = compiled("BEGIN { trace(1); @ = count(); printf(\"x\"); } END");
	dtrace_proginfo_t info;

	(void)state;
	fake.matches = 7;
	assert_int_equal(dtrace_program_exec(dtp, prog, NULL), 0);
	assert_int_equal(dtrace_program_exec(dtp, prog, &info), 0);
	assert_int_equal(info.dpi_matches, 7);
	assert_int_equal(info.dpi_recgens, 2);
	assert_int_equal(info.dpi_aggregates, 1);
}

static void why_a_program_is_not_enabled(void **state)
{
	static const struct {
		const char *program, *message;
		int error, said;
	} cases[] = {
		{"BEGIN", NULL, EBUSY, EDT_ACTIVE},
		{"BEGIN", "it is wrong", EBUSY, EDT_ACTIVE},
		{"BEGIN", "it is wrong", EINVAL, EDT_BADDOF},
		{"BEGIN", "it is wrong", EPERM, EDT_BADDOF},
		{"BEGIN", NULL, EINVAL, EDT_BADDOF},
		{"BEGIN", NULL, EPERM, EPERM},
		{"BEGIN", NULL, ENOMEM, ENOMEM},
		{"BEGIN { stop(); }", NULL, 0, EDT_DESTRUCTIVE},
		{"dtrace:helper:ustack: { \"x\"; }", NULL, 0, EDT_BADDOF},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		dtrace_prog_t *prog = compiled(cases[i].program);
		dtrace_proginfo_t info = {.dpi_matches = 77};

		fake.enable_error = cases[i].error;
		fake.enable_message = cases[i].message;
		assert_int_equal(dtrace_program_exec(dtp, prog, &info), -1);
		assert_int_equal(dtrace_errno(dtp), cases[i].said);
		assert_int_equal(info.dpi_matches, 77);
		if (cases[i].message && cases[i].said == EDT_BADDOF)
			assert_string_equal(dtrace_errmsg(dtp, EDT_BADDOF), "it is wrong");
	}
}

/* The last message of a drop, and the number of such messages. */
static char drop_said[512];
static int drops_said;

static int drop_hear(const dtrace_dropdata_t *data, void *arg)
{
	(void)arg;
	snprintf(drop_said, sizeof(drop_said), "%s", data->dtdda_msg);
	drops_said++;
	return DTRACE_HANDLE_OK;
}

/* The fields of 32 bits stand beside each other: a count is its own field and nothing else. */
static void probes_that_are_not_enabled_are_told(void **state)
{
	dtrace_status_t st = {.dtst_killed = 1, .dtst_exiting = 1, .dtst_active = 5};

	(void)state;
	drops_said = 0;
	dtrace_handle_drop(dtp, drop_hear, NULL);
	assert_int_equal(dtrace_setopt(dtp, "droptags", NULL), 0);
	assert_int_equal(dt_drops_report(dtp, &st), 0);
	assert_int_equal(drops_said, 0);
	st.dtst_unattached = 3;
	assert_int_equal(dt_drops_report(dtp, &st), 0);
	assert_string_equal(
		drop_said,
		"[DTRACEDROP_UNATTACHED] 3 probes not enabled (no memory, a limit of "
		"/proc/dtrace/users, or refused by the provider: enable fewer probes, or have "
		"root raise the limit)\n");
	assert_int_equal(dt_drops_report(dtp, &st), 0);
	assert_int_equal(drops_said, 1);
	st.dtst_unattached = 4;
	assert_int_equal(dt_drops_report(dtp, &st), 0);
	assert_non_null(strstr(drop_said, "] 1 probe not enabled ("));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(why_it_does_not_begin, fake_setup, teardown),
		cmocka_unit_test_setup_teardown(it_begins, fake_setup, teardown),
		cmocka_unit_test_setup_teardown(programs_are_enabled, fake_setup, teardown),
		cmocka_unit_test_setup_teardown(why_a_program_is_not_enabled, fake_setup, teardown),
		cmocka_unit_test_setup_teardown(probes_that_are_not_enabled_are_told, fake_setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
