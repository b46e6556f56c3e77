/* SPDX-License-Identifier: MIT */
/*
 * engine_secret.c - what a session without rights to the kernel must not learn: whose thread a probe
 * of its own happens to interrupt, and addresses of the kernel. Root, and the session's own processes,
 * show that each test would see it.
 */
#include "engine_fixture.h"
#include "core.h"

#define USER	(DTRACE_PRIV_PROC | DTRACE_PRIV_USER)
#define OWN	1000
#define OTHER	2000

/* Fire in that user's thread, whose key is given; anywhere: as a tick does. The only record's word. */
static uint64_t fire_in(uint32_t uid, uint64_t key, dtrace_probe_t *probe, uint64_t arg0)
{
	struct dtrace_fire fire = { .args = &arg0, .nargs = 1, .anywhere = true };
	struct bytes out = { 0 };
	uint64_t value;

	port_user_world.uid = uid;
	port_user_world.key = key;
	dtrace_fire(probe, &fire);
	fixture_read(port_cpu(), &out);
	value = fixture_u64(build_record(&out, 0), 0);
	assert_null(build_record(&out, 1));
	bytes_free(&out);
	return value;
}

/* ---- other users' threads ---- */

static void self_session(uint32_t privs, const char *var, const char *key, const char *store,
			 const char *load)
{
	char set[256], get[256];
	struct build_action a[] = { { .kind = DTRACEACT_DIFEXPR, .difo = set }, ACT_END };
	struct build_action b[] = { { .kind = DTRACEACT_DIFEXPR, .difo = get }, ACT_END };

	snprintf(set, sizeof(set), "%s; %s; ldgs arg0, %%r1; %s x, %%r1; %s x, %%r2; ret %%r2", var,
		 key, store, load);
	snprintf(get, sizeof(get), "%s; %s; %s x, %%r2; ret %%r2", var, key, load);
	fixture_session(privs, OWN);
	fixture_clause("test:::a", NULL, a);
	fixture_clause("test:::b", NULL, b);
	fixture_go();
}

static void self_says_nothing_of_others(void **state)
{
	static const struct {
		const char *var, *key, *store, *load;
	} kinds[] = {
		{ "var thread x int", "nop", "stts", "ldts" },
		{ "var thread[] x int", "setx 3, %r1; flushts; pushtv ctf, %r0, %r1", "sttaa",
		  "ldtaa" },
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		self_session(USER, kinds[i].var, kinds[i].key, kinds[i].store, kinds[i].load);
		/* in the clause it is a variable as any */
		assert_int_equal(fire_in(OTHER, 111, fix.a, 5), 5);
		/* whichever thread it is, it is the same one */
		assert_int_equal(fire_in(OTHER, 111, fix.b, 0), 5);
		assert_int_equal(fire_in(OTHER, 222, fix.b, 0), 5);
		assert_int_equal(fire_in(OTHER, 0, fix.b, 0), 5);
		port_user_set_cpu(1);
		assert_int_equal(fire_in(OTHER, 111, fix.b, 0), 0);
		port_user_set_cpu(0);
		/* and none of its own, even one that is numbered as a CPU is */
		for (uint64_t key = 1; key < 4; key++)
			assert_int_equal(fire_in(OWN, key, fix.b, 0), 0);
		assert_int_equal(fire_in(OWN, 111, fix.b, 0), 0);
		assert_int_equal(fire_in(OWN, 111, fix.a, 7), 7);
		assert_int_equal(fire_in(OWN, 111, fix.b, 0), 7);
		assert_int_equal(fire_in(OWN, 222, fix.b, 0), 0);
		assert_int_equal(fire_in(OTHER, 111, fix.b, 0), 5);
		/* root tells threads of others apart */
		self_session(DTRACE_PRIV_ALL, kinds[i].var, kinds[i].key, kinds[i].store,
			     kinds[i].load);
		assert_int_equal(fire_in(OTHER, 111, fix.a, 5), 5);
		assert_int_equal(fire_in(OTHER, 222, fix.b, 0), 0);
		assert_int_equal(fire_in(OTHER, 111, fix.b, 0), 5);
	}
}

static void vtimestamp_says_nothing_of_others(void **state)
{
	static const struct build_action acts[] = {
		{ .kind = DTRACEACT_DIFEXPR, .difo = "ldgs vtimestamp, %r1; ret %r1" }, ACT_END
	};
	dtrace_state_t *root;
	struct bytes out = { 0 };

	(void)state;
	fixture_session(DTRACE_PRIV_ALL, 0);
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	assert_int_not_equal(fire_in(OTHER, 111, fix.a, 0), 0);
	/* nor when root's clause has asked for it in the same firing */
	root = fix.state;
	fix.state = NULL;
	fixture_session(USER, OWN);
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	assert_int_equal(fire_in(OTHER, 111, fix.a, 0), 0);
	assert_int_not_equal(fire_in(OWN, 111, fix.a, 0), 0);
	dtrace_state_destroy(fix.state);
	fix.state = root;
	fixture_read(0, &out);
	assert_int_not_equal(fixture_u64(build_record(&out, 0), 0), 0);
	bytes_free(&out);
}

#define T(f)	cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(self_says_nothing_of_others),
		T(vtimestamp_says_nothing_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
