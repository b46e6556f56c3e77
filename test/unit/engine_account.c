/* SPDX-License-Identifier: MIT */
/* engine_account.c - what users hold is counted over all that they have, and bounded. */
#include "engine_fixture.h"

static uint64_t limits[DTRACE_RES_MAX];

static int setup(void **state)
{
	int rc = fixture_setup(state);

	memcpy(limits, dtrace_account_limits, sizeof(limits));
	return rc;
}

static int teardown(void **state)
{
	memcpy(dtrace_account_limits, limits, sizeof(limits));
	return fixture_teardown(state);
}

static void charges_are_bounded(void **state)
{
	struct dtrace_account *a = dtrace_account_get(1000, false), *same;
	char msg[256] = "";

	(void)state;
	same = dtrace_account_get(1000, false);
	assert_ptr_equal(a, same);
	dtrace_account_limits[DTRACE_RES_SITES] = 100;
	assert_int_equal(dtrace_account_charge(a, DTRACE_RES_SITES, 60, msg, sizeof(msg)), 0);
	assert_int_equal(dtrace_account_charge(same, DTRACE_RES_SITES, 41, msg, sizeof(msg)), -EDQUOT);
	assert_non_null(strstr(msg, "user 1000 holds 60 sites"));
	assert_non_null(strstr(msg, "parameters/user_sites"));
	assert_int_equal(dtrace_account_charge(a, DTRACE_RES_SITES, UINT64_MAX, NULL, 0), -EDQUOT);
	assert_int_equal(dtrace_account_charge(same, DTRACE_RES_SITES, 40, msg, sizeof(msg)), 0);
	/* what is held stays when the limit is lowered; nothing is added */
	dtrace_account_limits[DTRACE_RES_SITES] = 10;
	assert_int_equal(dtrace_account_charge(a, DTRACE_RES_SITES, 1, NULL, 0), -EDQUOT);
	dtrace_account_uncharge(a, DTRACE_RES_SITES, 91);
	assert_int_equal(dtrace_account_charge(a, DTRACE_RES_SITES, 1, NULL, 0), 0);
	dtrace_account_uncharge(same, DTRACE_RES_SITES, 10);
	dtrace_account_put(a);
	dtrace_account_put(same);
	dtrace_account_put(NULL);
}

static void users_and_rights_are_apart(void **state)
{
	struct dtrace_account *a = dtrace_account_get(1000, false);
	struct dtrace_account *b = dtrace_account_get(1001, false);
	struct dtrace_account *root = dtrace_account_get(1000, true);

	(void)state;
	dtrace_account_limits[DTRACE_RES_PROBES] = 5;
	assert_int_equal(dtrace_account_charge(a, DTRACE_RES_PROBES, 5, NULL, 0), 0);
	assert_int_equal(dtrace_account_charge(b, DTRACE_RES_PROBES, 5, NULL, 0), 0);
	assert_int_equal(dtrace_account_charge(root, DTRACE_RES_PROBES, 1000, NULL, 0), 0);
	assert_int_equal(dtrace_account_charge(a, DTRACE_RES_PROBES, 1, NULL, 0), -EDQUOT);
	dtrace_account_uncharge(root, DTRACE_RES_PROBES, 1000);
	dtrace_account_uncharge(b, DTRACE_RES_PROBES, 5);
	dtrace_account_uncharge(a, DTRACE_RES_PROBES, 5);
	dtrace_account_put(a);
	dtrace_account_put(b);
	dtrace_account_put(root);
}

static void accounts_are_listed(void **state)
{
	struct dtrace_account *a = dtrace_account_get(7, false), *b = dtrace_account_get(8, true);
	struct dtrace_accountinfo info;
	uint32_t after = 0, n = 0;

	(void)state;
	dtrace_account_charge(a, DTRACE_RES_BYTES, 4711, NULL, 0);
	while (dtrace_accountinfo(&after, &info) == 0) {
		n += info.uid == 7 && !info.privileged && info.used[DTRACE_RES_BYTES] == 4711;
		n += info.uid == 8 && info.privileged && info.used[DTRACE_RES_BYTES] == 0;
	}
	assert_int_equal(n, 2);
	dtrace_account_uncharge(a, DTRACE_RES_BYTES, 4711);
	dtrace_account_put(a);
	dtrace_account_put(b);
	for (after = 0; dtrace_accountinfo(&after, &info) == 0;)
		assert_int_not_equal(info.uid, 7);
}

static void sessions_are_counted(void **state)
{
	struct dtrace_cred cred = { .privs = DTRACE_PRIV_ALL, .account = 1000 };
	struct dtrace_cred root = { .privs = DTRACE_PRIV_ALL, .account = 1000, .privileged = true };
	dtrace_state_t *st[4];

	(void)state;
	dtrace_account_limits[DTRACE_RES_SESSIONS] = 2;
	assert_int_equal(dtrace_state_create(&cred, NULL, &st[0]), 0);
	assert_int_equal(dtrace_state_create(&cred, NULL, &st[1]), 0);
	assert_int_equal(dtrace_state_create(&cred, NULL, &st[2]), -EDQUOT);
	assert_int_equal(dtrace_state_create(&root, NULL, &st[3]), 0);
	dtrace_state_destroy(st[1]);
	assert_int_equal(dtrace_state_create(&cred, NULL, &st[2]), 0);
	dtrace_state_destroy(st[0]);
	dtrace_state_destroy(st[2]);
	dtrace_state_destroy(st[3]);
}

#define T(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(charges_are_bounded),
		T(users_and_rights_are_apart),
		T(accounts_are_listed),
		T(sessions_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
