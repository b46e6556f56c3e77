/* SPDX-License-Identifier: MIT */
/* consume_option.c - values of options: units, truth values, bounds, and clear refusals. */
#include <string.h>
#include "consume_fake.h"

static uint64_t value(const char *name, const char *text)
{
	dtrace_optval_t val = 0;

	assert_int_equal(dtrace_setopt(dtp, name, text), 0);
	assert_int_equal(dtrace_getopt(dtp, name, &val), 0);
	return val;
}

static void refused(const char *name, const char *text, int error)
{
	assert_int_equal(dtrace_setopt(dtp, name, text), -1);
	assert_int_equal(dtrace_errno(dtp), error);
	assert_non_null(strstr(dtrace_errmsg(dtp, error), name));
}

static void sizes_have_units(void **state)
{
	(void)state;
	assert_int_equal(value("bufsize", "512"), 512);
	assert_int_equal(value("bufsize", "4k"), 4096);
	assert_int_equal(value("bufsize", "2M"), 2 << 20);
	assert_int_equal(value("bufsize", "1g"), 1 << 30);
	assert_int_equal(value("strsize", "0x10"), 16);
	refused("bufsize", "4q", EDT_BADOPTVAL);
	refused("bufsize", "4kk", EDT_BADOPTVAL);
	refused("bufsize", "-1", EDT_BADOPTVAL);
	refused("bufsize", "99999999999999t", EDT_BADOPTVAL);
	refused("bufsize", NULL, EDT_BADOPTVAL);
}

static void times_have_units_and_bare_numbers_are_rates(void **state)
{
	(void)state;
	assert_int_equal(value("switchrate", "10"), 100000000);
	assert_int_equal(value("switchrate", "10hz"), 100000000);
	assert_int_equal(value("switchrate", "10ms"), 10000000);
	assert_int_equal(value("switchrate", "5us"), 5000);
	assert_int_equal(value("switchrate", "7ns"), 7);
	assert_int_equal(value("switchrate", "2s"), 2000000000);
	assert_int_equal(value("switchrate", "1m"), 60000000000);
	assert_int_equal(value("switchrate", "1h"), 3600000000000);
	assert_int_equal(value("switchrate", "1d"), 86400000000000);
	refused("switchrate", "1y", EDT_BADOPTVAL);
}

static void truth_has_many_names(void **state)
{
	static const char *const yes[] = {NULL,	 "yes",	   "TRUE",    "On",
					  "set", "enable", "enabled", "1"};
	static const char *const no[] = {"no", "False", "OFF", "unset", "disable", "disabled", "0"};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_int_equal(value("quiet", yes[i]), 1);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_int_equal(value("quiet", no[i]), 0);
	refused("quiet", "maybe", EDT_BADOPTVAL);
}

static void numbers_have_bounds(void **state)
{
	(void)state;
	assert_int_equal(value("nspec", "0"), 0);
	assert_int_equal(value("nspec", "2147483646"), 2147483646);
	refused("nspec", "2147483647", EDT_BADOPTVAL);
	refused("nspec", "-1", EDT_BADOPTVAL);
	refused("nspec", "1x", EDT_BADOPTVAL);
	assert_int_equal(value("tregs", "8"), 8);
	refused("tregs", "0", EDT_BADOPTVAL);
	refused("tregs", "9", EDT_BADOPTVAL);
	assert_string_equal(dtrace_errmsg(dtp, EDT_BADOPTVAL),
			    "option tregs: '9' is not a number from 1 to 8");
	assert_int_equal(value("tregs", "7"), 7);
	assert_int_equal(dtp->copts[DT_COPT_TREGS], 7);
}

static void policies_have_names(void **state)
{
	(void)state;
	assert_int_equal(value("bufpolicy", "ring"), DTRACEOPT_BUFPOLICY_RING);
	assert_int_equal(value("bufpolicy", "fill"), DTRACEOPT_BUFPOLICY_FILL);
	assert_int_equal(value("bufpolicy", "switch"), DTRACEOPT_BUFPOLICY_SWITCH);
	assert_int_equal(value("bufresize", "manual"), DTRACEOPT_BUFRESIZE_MANUAL);
	refused("bufpolicy", "heap", EDT_BADOPTVAL);
}

static void forms_of_output_have_names(void **state)
{
	static const char *const names[] = {"text", "json", "xml"};

	(void)state;
	assert_int_equal(dtp->copts[DT_COPT_OFORMAT], 0);
	for (int i = 2; i >= 0; i--) {
		assert_int_equal(dtrace_setopt(dtp, "oformat", names[i]), 0);
		assert_int_equal(dtp->copts[DT_COPT_OFORMAT], i);
	}
	refused("oformat", "html", EDT_OPTUNSUP);
	refused("oformat", "yaml", EDT_BADOPTVAL);
	refused("oformat", NULL, EDT_BADOPTVAL);
	assert_int_equal(dtp->copts[DT_COPT_OFORMAT], 0);
}

static void refusals_give_a_reason(void **state)
{
	(void)state;
	refused("nonsense", "1", EDT_BADOPTNAME);
	refused("grabanon", NULL, EDT_OPTUNSUP);
	refused("version", "9.9", EDT_BADOPTVAL);
	refused("amin", "Evolving", EDT_BADOPTVAL);
	assert_int_equal(dtrace_setopt(dtp, "amin", "Evolving/Evolving/Common"), 0);
}

static void only_dynamic_options_change_while_tracing(void **state)
{
	(void)state;
	dtp->active = true;
	refused("bufsize", "1m", EDT_BADOPTCTX);
	refused("cpp", NULL, EDT_BADOPTCTX);
	assert_int_equal(value("aggsortrev", NULL), 1);
	dtp->active = false;
}

static void words_for_the_preprocessor_keep_their_order(void **state)
{
	(void)state;
	assert_int_equal(dtrace_setopt(dtp, "define", "A=1"), 0);
	assert_int_equal(dtrace_setopt(dtp, "incdir", "/x"), 0);
	assert_int_equal(dtrace_setopt(dtp, "undef", "B"), 0);
	assert_int_equal(dtp->cppargs.n, 3);
	assert_string_equal(dtp->cppargs.words[0], "-DA=1");
	assert_string_equal(dtp->cppargs.words[1], "-I/x");
	assert_string_equal(dtp->cppargs.words[2], "-UB");
}

static void opposites_share_a_switch(void **state)
{
	dtrace_optval_t val;

	(void)state;
	assert_int_equal(dtrace_setopt(dtp, "noresolve", NULL), 0);
	assert_int_equal(dtrace_getopt(dtp, "stacksymbols", &val), 0);
	assert_int_equal(val, 0);
	assert_int_equal(dtrace_setopt(dtp, "stacksymbols", "on"), 0);
	assert_int_equal(dtrace_getopt(dtp, "stacksymbols", &val), 0);
	assert_int_equal(val, 1);
	assert_int_equal(dtrace_setopt(dtp, "encoding", "latin1"), -1);
	assert_int_equal(dtrace_setopt(dtp, "scratchsize", "256k"), 0);
	assert_int_equal(dtrace_setopt(dtp, "scratchsize", "257k"), -1);
}

static void descriptions_are_taken_apart(void **state)
{
	dtrace_probedesc_t desc;

	(void)state;
	assert_int_equal(dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, "a:b:c:d", &desc), 0);
	assert_string_equal(desc.dtpd_provider, "a");
	assert_string_equal(desc.dtpd_name, "d");
	assert_int_equal(dtrace_str2desc(dtp, DTRACE_PROBESPEC_FUNC, "m:f", &desc), 0);
	assert_string_equal(desc.dtpd_provider, "");
	assert_string_equal(desc.dtpd_mod, "m");
	assert_string_equal(desc.dtpd_func, "f");
	assert_string_equal(desc.dtpd_name, "");
	assert_int_equal(dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, "a:b:c:d:e", &desc), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_BADDESC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_have_units),
		cmocka_unit_test(times_have_units_and_bare_numbers_are_rates),
		cmocka_unit_test(truth_has_many_names),
		cmocka_unit_test(numbers_have_bounds),
		cmocka_unit_test(policies_have_names),
		cmocka_unit_test(forms_of_output_have_names),
		cmocka_unit_test(refusals_give_a_reason),
		cmocka_unit_test(only_dynamic_options_change_while_tracing),
		cmocka_unit_test(words_for_the_preprocessor_keep_their_order),
		cmocka_unit_test(opposites_share_a_switch),
		cmocka_unit_test(descriptions_are_taken_apart),
	};

	return cmocka_run_group_tests(tests, fake_setup, fake_teardown);
}
