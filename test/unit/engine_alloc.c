/* SPDX-License-Identifier: MIT */
/*
 * engine_alloc.c - a session from beginning to end, with each allocation failing in turn: errors,
 * no crash, nothing left.
 */
#include "engine_fixture.h"

static const struct build_action acts[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "var global[] al string; var global gg string; var local ll string; ldgs arg0, "
		 "%r1; flushts;"
		 "pushtv ctf, %r0, %r1; sets \"x\", %r2; stgaa al, %r2; stgs gg, %r2; stls ll, "
		 "%r2; ret %r1",
	 .uarg = 1},
	{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg0, %r1; ret %r1", .uarg = 2},
	{.kind = DTRACEAGG_QUANTIZE, .ntuple = 2, .difo = "ldgs arg0, %r1; ret %r1", .uarg = 2},
	ACT_END};
static const struct build_action spec[] = {
	{.kind = DTRACEACT_SPECULATE, .difo = "flushts; call speculation, %r1; ret %r1"}, ACT_END};

static const dtrace_provider_ops_t ops;
static const dtrace_pattr_t attr;
static const dtrace_ppriv_t priv;

/* Run a session. Return 0 if all calls succeeded. */
static int run_session(dtrace_provider_t *p, dtrace_probe_t *probe)
{
	struct dtrace_cred cred = {.privs = DTRACE_PRIV_ALL};
	struct dtrace_fire fire = {0};
	dtrace_enable_io_t io;
	dtrace_probedesc_t desc = {0};
	struct bytes out = {0};
	dtrace_probe_t *late;
	dtrace_state_t *st;
	dtrace_go_t go;
	const void *dof;
	size_t size;
	int rc;

	rc = dtrace_state_create(&cred, NULL, &st);
	if (rc)
		return rc;
	dof = build_finish(&fix.dof, &size);
	rc = dtrace_state_enable(st, dof, size, &io, NULL, 0);
	if (!rc && io.n_matched != 3) /* an ECB that could not be made is left out */
		rc = -ENOMEM;
	if (!rc)
		rc = dtrace_state_go(st, &go);
	if (!rc) {
		dtrace_fire(probe, &fire);
		rc = dtrace_probe_create(p, "m", "f", "late", NULL, &late);
	}
	if (!rc) {
		dtrace_provider_match(p);
		rc = dtrace_probe_enabled(late) ? dtrace_state_probes(st, true, &desc) : -ENOMEM;
		dtrace_fire(late, &fire);
		build_snapshot(st, false, 0, &out, NULL);
		build_snapshot(st, true, 0, &out, NULL);
		dtrace_probe_destroy(&late, 1);
		dtrace_state_stop(st, &go);
	}
	dtrace_state_destroy(st);
	bytes_free(&out);
	return rc;
}

static int run_all(void)
{
	dtrace_provider_t *p = NULL;
	dtrace_probe_t *probe;
	int rc = dtrace_engine_init();

	if (rc)
		return rc;
	rc = dtrace_provider_register("test", &attr, &priv, &ops, NULL, &p);
	if (!rc)
		rc = dtrace_probe_create(p, "m", "f", "early", NULL, &probe);
	if (!rc)
		rc = run_session(p, probe);
	if (p)
		dtrace_provider_unregister(p);
	dtrace_engine_fini();
	return rc;
}

static void each_allocation_fails_once(void **state)
{
	unsigned long n;
	int rc;

	(void)state;
	port_user_init(2);
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 4096);
	build_option(&fix.dof, DTRACEOPT_AGGSIZE, 4096);
	build_option(&fix.dof, DTRACEOPT_DYNVARSIZE, 4096);
	build_option(&fix.dof, DTRACEOPT_BUFRESIZE, DTRACEOPT_BUFRESIZE_MANUAL);
	fixture_clause("test:::", NULL, acts);
	fixture_clause("test:::early", NULL, spec);
	fixture_clause("dtrace:::BEGIN", "setx 1, %r1; ret %r1", acts);
	for (n = 1;; n++) {
		port_user_fail(n);
		rc = run_all();
		assert_int_equal(port_user_allocated(), 0);
		assert_int_equal(port_user_warnings(), 0);
		if (!port_user_fail(0))
			break;
	}
	assert_int_equal(rc, 0);
	assert_true(n > 50);
	build_dof_free(&fix.dof);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails_once)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
