/* SPDX-License-Identifier: MIT */
/* consume_session.c - what a session says when the module does not let it begin, and before it has begun. */
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

/* What the last message of a drop said; how many there were. */
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
		cmocka_unit_test_setup_teardown(probes_that_are_not_enabled_are_told, fake_setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
