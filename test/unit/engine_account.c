/* SPDX-License-Identifier: MIT */
/* engine_account.c - what users hold is counted over all that they have, and bounded. */
#include "account.h"
#include "enabling.h"
#include "engine_fixture.h"
#include "state.h"
#include "table.h"

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
	assert_int_equal(dtrace_account_charge(same, DTRACE_RES_SITES, 41, msg, sizeof(msg)),
			 -EDQUOT);
	assert_non_null(strstr(msg, "user 1000 holds 60 sites"));
	assert_non_null(strstr(msg, "parameters/user_sites"));
	assert_int_equal(dtrace_account_charge(a, DTRACE_RES_SITES, UINT64_MAX, NULL, 0), -EDQUOT);
	assert_int_equal(dtrace_account_charge(same, DTRACE_RES_SITES, 40, msg, sizeof(msg)), 0);
	/* the user keeps what it has when the limit is lowered; nothing is added */
	dtrace_account_limits[DTRACE_RES_SITES] = 10;
	assert_int_equal(dtrace_account_charge(a, DTRACE_RES_SITES, 1, NULL, 0), -EDQUOT);
	dtrace_account_uncharge(a, DTRACE_RES_SITES, 91);
	assert_int_equal(dtrace_account_charge(a, DTRACE_RES_SITES, 1, NULL, 0), 0);
	/* what is there already is counted even beyond the limit */
	dtrace_account_add(a, DTRACE_RES_SITES, 5);
	assert_int_equal(dtrace_account_charge(a, DTRACE_RES_SITES, 0, msg, sizeof(msg)), -EDQUOT);
	assert_non_null(strstr(msg, "user 1000 holds 15 sites"));
	dtrace_account_uncharge(same, DTRACE_RES_SITES, 15);
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
	struct dtrace_accountrow info;
	uint32_t after = 0, n = 0;

	(void)state;
	dtrace_account_charge(a, DTRACE_RES_BYTES, 4711, NULL, 0);
	while (dtrace_accountrow(&after, &info) == 0) {
		n += info.uid == 7 && !info.privileged && info.used[DTRACE_RES_BYTES] == 4711;
		n += info.uid == 8 && info.privileged && info.used[DTRACE_RES_BYTES] == 0;
	}
	assert_int_equal(n, 2);
	dtrace_account_uncharge(a, DTRACE_RES_BYTES, 4711);
	dtrace_account_put(a);
	dtrace_account_put(b);
	for (after = 0; dtrace_accountrow(&after, &info) == 0;)
		assert_int_not_equal(info.uid, 7);
}

static void sessions_are_counted(void **state)
{
	struct dtrace_cred cred = {.privs = DTRACE_PRIV_ALL, .account = 1000};
	struct dtrace_cred root = {.privs = DTRACE_PRIV_ALL, .account = 1000, .privileged = true};
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

static uint64_t held(uint32_t uid)
{
	struct dtrace_accountrow info;

	for (uint32_t after = 0; dtrace_accountrow(&after, &info) == 0;)
		if (info.uid == uid && !info.privileged)
			return info.used[DTRACE_RES_MEMORY];
	return 0;
}

/* A session of a user who has limits. */
static void user_session(void)
{
	struct dtrace_cred cred = {.privs = DTRACE_PRIV_ALL, .account = 1000};

	dtrace_state_destroy(fix.state);
	assert_int_equal(dtrace_state_create(&cred, NULL, &fix.state), 0);
}

/*
 * Fire by a timer on a CPU until no session takes it; how often one did. rest: ns of rest that were
 * asked for.
 */
static unsigned int fire_until_rest(unsigned int cpu, uint64_t *rest)
{
	uint64_t args[] = {5};
	struct dtrace_fire fire = {.args = args, .nargs = 1, .no_process = true};
	unsigned int n = 0;

	port_user_set_cpu(cpu);
	while (!(*rest = dtrace_fire_timed(fix.a, &fire, false)) && n < 100000)
		n++;
	port_user_set_cpu(0);
	return n;
}

/*
 * The time that timers' firings take of a CPU is bounded for each user. Here the clock does not
 * run, so that each takes the minimum, 1,000 ns; the share is 10 ms of 100.
 */
static void timers_take_a_share(void **state)
{
	struct dtrace_cred other = {.privs = DTRACE_PRIV_ALL, .account = 1001};
	dtrace_state_t *first;
	uint64_t rest;

	(void)state;
	port_user_world.timestamp = 1000000000;
	user_session();
	fixture_clause("test:::a", NULL, NULL);
	fixture_clause("test:::a", NULL, NULL);
	fixture_go();
	/* two clauses each, and then none */
	assert_int_equal(fire_until_rest(0, &rest), 5000);
	assert_int_equal(rest, 100000000);
	assert_int_equal(fixture_status().dtst_pauses, 1);
	/* other CPUs have shares of their own; time gives the share back */
	assert_int_equal(fire_until_rest(1, &rest), 5000);
	port_user_world.timestamp += 99999999;
	assert_int_equal(fire_until_rest(0, &rest), 0);
	assert_int_equal(rest, 1);
	port_user_world.timestamp += 1;
	assert_int_equal(fire_until_rest(0, &rest), 5000);
	/* probes that are hit belong to no timer: they have no share */
	fixture_fire(fix.a, 1);
	/* another user's session has its own share; while it takes firings there is no rest */
	first = fix.state;
	assert_int_equal(dtrace_state_create(&other, NULL, &fix.state), 0);
	fixture_clause("test:::a", NULL, NULL);
	fixture_go();
	assert_int_equal(fire_until_rest(0, &rest), 10000);
	assert_int_equal(rest, 100000000);
	dtrace_state_destroy(first);
	/* who has no limits has none here */
	dtrace_state_destroy(fix.state);
	other.privileged = true;
	assert_int_equal(dtrace_state_create(&other, NULL, &fix.state), 0);
	fixture_clause("test:::a", NULL, NULL);
	fixture_go();
	assert_int_equal(fire_until_rest(0, &rest), 100000);
	port_user_world.timestamp = 0;
}

/*
 * A firing that takes longer than the share, as on a slow machine, is paid for by the spans after
 * it: 340 ms leave nothing of the spans until the 34th.
 */
static void a_long_firing_is_paid_for(void **state)
{
	uint64_t args[] = {5}, rest;
	struct dtrace_fire fire = {.args = args, .nargs = 1, .no_process = true};

	(void)state;
	port_user_world.timestamp = 1000000000;
	user_session();
	fixture_clause("test:::a", NULL, NULL);
	fixture_go();
	port_user_world.tick = 170000000; /* the clock is read for the record, and at the end */
	assert_int_equal(dtrace_fire_timed(fix.a, &fire, false), 0);
	port_user_world.tick = 0;
	rest = dtrace_fire_timed(fix.a, &fire, false);
	assert_in_range(rest, 2900000000, 3400000000);
	port_user_world.timestamp += rest - 1;
	assert_int_equal(dtrace_fire_timed(fix.a, &fire, false), 1);
	port_user_world.timestamp += 1;
	assert_int_equal(dtrace_fire_timed(fix.a, &fire, false), 0);
	port_user_world.timestamp = 0;
}

static int emit_nowhere(void *ctx, const void *data, size_t n)
{
	(void)ctx;
	(void)data;
	(void)n;
	return 0;
}

/* Read the buffer of a CPU n times; return ns for which that has waited. */
static uint64_t snapshots_wait(uint32_t cpu, unsigned int n)
{
	uint64_t began = port_user_world.timestamp;

	while (n--) {
		dtrace_bufdesc_t desc = {.dtbd_size = UINT32_MAX, .dtbd_cpu = cpu};
		int rc = dtrace_state_snapshot(fix.state, false, &desc, emit_nowhere, NULL);

		assert_int_equal(rc, 0);
	}
	return port_user_world.timestamp - began;
}

/*
 * So is the time of calls by which a user's requests interrupt a CPU. Each takes the minimum, 2,000
 * ns; beyond the share, requests wait.
 */
static void calls_take_a_share(void **state)
{
	struct dtrace_cred cred = {.privs = DTRACE_PRIV_PROC, .account = 1000};

	(void)state;
	port_user_world.timestamp = 1000000000;
	dtrace_state_destroy(fix.state);
	assert_int_equal(dtrace_state_create(&cred, NULL, &fix.state), 0);
	fixture_clause("dtrace:::BEGIN", NULL, NULL);
	fixture_go();
	assert_int_equal(snapshots_wait(0, 5000), 0);
	assert_int_equal(snapshots_wait(1, 5000), 0);
	assert_int_equal(snapshots_wait(0, 5000), 100000000);
	assert_int_equal(snapshots_wait(0, 1), 100000000);
	/* sessions of one user have one share */
	dtrace_state_destroy(fix.state);
	assert_int_equal(dtrace_state_create(&cred, NULL, &fix.state), 0);
	fixture_go();
	assert_int_equal(snapshots_wait(0, 5000), 100000000);
	/* who has all rights, or no limits, does not wait */
	dtrace_state_destroy(fix.state);
	cred.privileged = true;
	assert_int_equal(dtrace_state_create(&cred, NULL, &fix.state), 0);
	fixture_go();
	assert_int_equal(snapshots_wait(0, 50000), 0);
	port_user_world.timestamp = 0;
}

/* BEGIN on the CPU of a session's choice takes it from others; the next one is called later. */
static void begin_on_a_cpu_takes_a_share(void **state)
{
	struct dtrace_cred cred = {.privs = DTRACE_PRIV_PROC, .account = 1000};
	uint64_t began;

	(void)state;
	port_user_world.timestamp = 1000000000;
	for (unsigned int i = 0; i < 2; i++) {
		dtrace_state_destroy(fix.state);
		assert_int_equal(dtrace_state_create(&cred, NULL, &fix.state), 0);
		build_option(&fix.dof, DTRACEOPT_CPU, 1);
		fixture_clause("dtrace:::BEGIN", NULL, NULL);
		began = port_user_world.timestamp;
		port_user_world.tick = 10000000; /* each time that the clock is read */
		fixture_go();
		port_user_world.tick = 0;
	}
	assert_in_range(port_user_world.timestamp - began, 100000000, 1000000000);
	port_user_world.timestamp = 0;
}

/* A user who ends a session gets no new share at once for the next session. */
static void a_new_session_has_no_new_share(void **state)
{
	uint64_t rest;

	(void)state;
	port_user_world.timestamp = 1000000000;
	for (int i = 0; i < 3; i++) {
		user_session();
		fixture_clause("test:::a", NULL, NULL);
		fixture_go();
		assert_int_equal(fire_until_rest(0, &rest), i == 1 ? 0 : 10000);
		fixture_session(DTRACE_PRIV_ALL, 0);
		port_user_world.timestamp += 99999999 + i;
	}
	port_user_world.timestamp = 0;
}

/*
 * Clauses that wait for probes are matched while whoever makes these waits, and others behind them.
 * What a user's sessions may take of that is bounded for all of them together; then they miss
 * probes, which is counted, until time has passed. Root's sessions do not.
 */
static void matching_is_bounded(void **state)
{
	enum { CLAUSES = 600, PROBES = 3000 };
	struct dtrace_cred user = {.privs = DTRACE_PRIV_ALL, .account = 1000};
	dtrace_state_t *root = fix.state, *other;
	dtrace_enable_io_t io;
	const void *dof;
	char name[32];
	size_t size;

	(void)state;
	port_user_world.timestamp = 1000000000000;
	fixture_clause("test:mod:late*:", NULL, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(dtrace_state_create(&user, NULL, &other), 0);
	assert_int_equal(dtrace_state_create(&user, NULL, &fix.state), 0);
	for (unsigned int i = 0; i < CLAUSES; i++)
		build_clause(&fix.dof, "test:mod:*[a]*z:", NULL, DOF_SECIDX_NONE, 0);
	build_clause(&fix.dof, "test:mod:late*:", NULL, DOF_SECIDX_NONE, 0);
	dof = build_finish(&fix.dof, &size);
	assert_int_equal(dtrace_state_enable(fix.state, dof, size, &io, NULL, 0), 0);
	assert_int_equal(dtrace_state_enable(other, dof, size, &io, NULL, 0), 0);
	build_dof_free(&fix.dof);
	build_dof_init(&fix.dof);
	for (unsigned int i = 0; i < 2 * PROBES; i++) {
		snprintf(name, sizeof(name), "late%u", i);
		fixture_probe(name, "p");
		if (i == 9 || i == PROBES - 1)
			assert_int_equal(dtrace_provider_match(fix.prov), 0);
		if (i == 9) /* a control: a few are matched by all */
			assert_int_equal(fixture_status().dtst_unattached, 0);
	}
	assert_true(fixture_status().dtst_unattached > 0);
	/* it is the same for both sessions of the user's, and for root's is none */
	assert_int_equal(dtrace_provider_match(fix.prov), 0);
	assert_true(dtrace_probe_enabled(dtrace_probe_lookup(fix.prov, "mod", name, "p")));
	dtrace_state_destroy(root);
	assert_false(dtrace_probe_enabled(dtrace_probe_lookup(fix.prov, "mod", name, "p")));
	assert_true(dtrace_probe_enabled(dtrace_probe_lookup(fix.prov, "mod", "late9", "p")));
	/* later there is as much again */
	port_user_world.timestamp += 10000000000;
	fixture_probe("later", "p");
	assert_int_equal(dtrace_provider_match(fix.prov), 0);
	assert_true(dtrace_probe_enabled(dtrace_probe_lookup(fix.prov, "mod", "later", "p")));
	dtrace_state_destroy(other);
	port_user_world.timestamp = 0;
}

/*
 * Programs without clauses are also gone through when probes come. A session may have so many, and
 * to go through them is work that is bounded.
 */
static void programs_without_clauses(void **state)
{
	dtrace_enable_io_t io;
	char msg[256], name[32];
	unsigned int n = 0;
	int rc;

	(void)state;
	user_session();
	port_user_world.timestamp = 1000000000000;
	do {
		build_section(&fix.dof, DOF_SECT_STRTAB, 1, 0, "", 1);
		rc = fixture_enable(&io, msg);
	} while (!rc && ++n <= DTRACE_ENABLINGS_MAX);
	assert_int_equal(rc, -E2BIG);
	assert_int_equal(n, DTRACE_ENABLINGS_MAX);
	assert_string_equal(msg, "a session may have 4096 programs");
	for (unsigned int i = 0; i < 600; i++) {
		snprintf(name, sizeof(name), "late%u", i);
		fixture_probe(name, "p");
		assert_int_equal(dtrace_provider_match(fix.prov), 0);
		if (!i) /* a control */
			assert_int_equal(fixture_status().dtst_unattached, 0);
	}
	assert_true(fixture_status().dtst_unattached > 0);
	port_user_world.timestamp = 0;
}

/* One string table that all programs name: a copy of it for each is too much for the DOF's size. */
static void sections_that_programs_share(void **state)
{
	enum { N = 300, TABLE = 64 << 10 };
	char *strings = calloc(1, TABLE);
	dtrace_enable_io_t io;
	char msg[256];

	(void)state;
	user_session();
	for (unsigned int few = 0; few < 2; few++) {
		uint32_t strtab, text;
		uint64_t before = held(1000);

		strtab = build_section(&fix.dof, DOF_SECT_STRTAB, 1, 0, strings, TABLE);
		text = build_section(&fix.dof, DOF_SECT_DIF, 4, 0, &(dif_instr_t){DIF_OP_RET << 24},
				     sizeof(dif_instr_t));
		for (unsigned int i = 0; i < (few ? 2 : N); i++) {
			dof_actdesc_t ad = {.dofa_kind = DTRACEACT_DIFEXPR};
			uint32_t difo[4] = {0};

			difo[2] = text;
			difo[3] = strtab;
			ad.dofa_difo =
				build_section(&fix.dof, DOF_SECT_DIFOHDR, 4, 0, difo, sizeof(difo));
			build_clause(&fix.dof, "test:mod:func:a", NULL,
				     build_section(&fix.dof, DOF_SECT_ACTDESC, 8, sizeof(ad), &ad,
						   sizeof(ad)),
				     0);
		}
		assert_int_equal(fixture_enable(&io, msg), few ? 0 : -E2BIG);
		if (few) {
			assert_true(held(1000) > before + 2 * TABLE);
		} else {
			assert_non_null(strstr(msg, "too much memory"));
			assert_true(held(1000) < before + TABLE);
		}
	}
	free(strings);
}

/* The memory of all sessions of a user is bounded, and the message names the limit. */
static void programs_are_charged(void **state)
{
	dtrace_enable_io_t io;
	char msg[256];
	int rc, n = 0;

	(void)state;
	user_session();
	dtrace_account_limits[DTRACE_RES_MEMORY] = 256 << 10;
	do {
		for (unsigned int i = 0; i < 20; i++)
			fixture_clause("test:mod:func:a", NULL,
				       (struct build_action[]){ACT_ARG0, ACT_END});
		rc = fixture_enable(&io, msg);
		assert_true(held(1000) <= 256 << 10);
	} while (!rc && n++ < 1000);
	assert_int_equal(rc, -EDQUOT);
	assert_true(n > 2);
	assert_non_null(strstr(msg, "user_memory"));
	user_session();
	assert_int_equal(held(1000), sizeof(dtrace_state_t));
}

/*
 * Begin to trace: all memory that is given out for it is charged, and given back with the session.
 */
static void memory_of_firings_is_charged(void **state)
{
	static const struct build_action array[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "type void; var global[] x int; ldgs arg0, %r1; flushts; pushtv ctf, %r0, %r1;"
			 "stgaa x, %r1; ret %r0"},
		ACT_END};
	static const struct build_action thread[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "type void; var thread x int; ldgs arg0, %r1; stts x, %r1; ret %r0"},
		ACT_END};
	static const struct build_action speculate[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "flushts; call speculation, %r1; ret %r1"},
		ACT_END};
	static const struct build_action words[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "sets \"a\", %r1; flushts; pushtv ctf, %r0, %r1; pushtv ctf, %r0, %r1;"
			 "call strtok, %r1; ret %r1"},
		ACT_END};
	const struct build_action *programs[] = {array, thread, speculate, words};
	uint64_t before, given;
	dtrace_go_t go;

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		user_session();
		build_option(&fix.dof, DTRACEOPT_NSPEC, 4096);
		build_option(&fix.dof, DTRACEOPT_SPECSIZE, 8);
		build_option(&fix.dof, DTRACEOPT_DYNVARSIZE, 3 << 20);
		if (i >= 4)
			build_option(&fix.dof, DTRACEOPT_CPU, 1);
		fixture_clause("test:mod:func:a", NULL, programs[i % 4]);
		assert_int_equal(fixture_enable(NULL, NULL), 0);
		before = held(1000);
		given = port_user_bytes();
		assert_int_equal(dtrace_state_go(fix.state, &go), 0);
		assert_true(held(1000) - before >= port_user_bytes() - given);
	}
	user_session();
	assert_int_equal(held(1000), sizeof(dtrace_state_t));
}

/*
 * Memory that the caller keeps for a session is charged with it. A session that would pass the
 * limit is refused.
 */
static void sessions_take_memory(void **state)
{
	struct dtrace_cred cred = {.privs = DTRACE_PRIV_ALL, .account = 1000, .bytes = 1234};
	dtrace_state_t *st, *more;

	(void)state;
	assert_int_equal(dtrace_state_create(&cred, NULL, &st), 0);
	assert_int_equal(held(1000), sizeof(dtrace_state_t) + 1234);
	dtrace_account_limits[DTRACE_RES_MEMORY] = 2 * (sizeof(dtrace_state_t) + 1234) - 1;
	assert_int_equal(dtrace_state_create(&cred, NULL, &more), -EDQUOT);
	dtrace_account_limits[DTRACE_RES_MEMORY]++;
	assert_int_equal(dtrace_state_create(&cred, NULL, &more), 0);
	dtrace_state_destroy(more);
	dtrace_state_destroy(st);
	assert_int_equal(held(1000), 0);
}

/* Tables of ECBs stay as large as they were when their probes are gone, and so does the charge. */
static void tables_of_ecbs_are_charged(void **state)
{
	enum { PROBES = 1000 };
	static dtrace_probe_t *probes[PROBES];
	struct bytes out = {0};
	uint64_t tables;
	char name[16];

	(void)state;
	for (unsigned int i = 0; i < PROBES; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		probes[i] = fixture_probe("g", name);
	}
	user_session();
	fixture_clause("test::g:", NULL, NULL);
	fixture_go();
	assert_int_equal(fix.state->ecbs.count, PROBES);
	tables = (fix.state->ecbs.size + fix.state->pairs.size) * sizeof(struct hnode *);
	assert_true(tables >= 2 * PROBES * sizeof(struct hnode *));
	assert_true(held(1000) >= sizeof(dtrace_state_t) + tables + PROBES * sizeof(struct ecb));
	dtrace_probe_destroy(probes, PROBES);
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int cpu = 0; cpu < port_ncpus(); cpu++)
			fixture_read(cpu, &out);
	bytes_free(&out);
	assert_int_equal(fix.state->ecbs.count, 0);
	assert_true(held(1000) >= sizeof(dtrace_state_t) + tables);
	user_session();
	assert_int_equal(held(1000), sizeof(dtrace_state_t));
}

/* Buffers become smaller until they fit, as without memory; or tracing does not begin. */
static void buffers_are_charged(void **state)
{
	dtrace_optget_t opt = {.dtog_option = DTRACEOPT_BUFSIZE};
	dtrace_go_t go;

	(void)state;
	user_session();
	dtrace_account_limits[DTRACE_RES_MEMORY] = 4 << 20;
	fixture_clause("test:mod:func:a", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	assert_int_equal(dtrace_state_go(fix.state, &go), 0);
	assert_int_equal(dtrace_state_optget(fix.state, &opt), 0);
	assert_in_range(opt.dtog_value, 64 << 10, 512 << 10);
	assert_in_range(held(1000), 1 << 20, 4 << 20);

	user_session();
	assert_int_equal(held(1000), sizeof(dtrace_state_t));
	build_option(&fix.dof, DTRACEOPT_BUFRESIZE, DTRACEOPT_BUFRESIZE_MANUAL);
	fixture_clause("test:mod:func:a", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	assert_int_equal(dtrace_state_go(fix.state, &go), -EDQUOT);
	assert_true(held(1000) < 64 << 10);
}

static uint64_t resource_held(uint32_t uid, enum dtrace_resource res)
{
	struct dtrace_accountrow info;

	for (uint32_t after = 0; dtrace_accountrow(&after, &info) == 0;)
		if (info.uid == uid && !info.privileged)
			return info.used[res];
	return 0;
}

static uint64_t interrupts_held(uint32_t uid)
{
	return resource_held(uid, DTRACE_RES_INTERRUPTS);
}

/* Of a scarce kind of probes, a user enables a limited number over all sessions. */
static void few_probes_are_shared_out(void **state)
{
	static const dtrace_provider_ops_t ops = {.few = true};
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	dtrace_provider_t *few;
	dtrace_state_t *first;
	dtrace_enable_io_t io;
	char msg[256];

	(void)state;
	assert_int_equal(dtrace_provider_register("few", &attr, &priv, &ops, NULL, &few), 0);
	for (const char *name = "pqrs"; *name; name++)
		assert_int_equal(dtrace_probe_create(few, "", "", (char[]){*name, 0}, NULL, NULL),
				 0);
	dtrace_account_limits[DTRACE_RES_INSTRUCTIONS] = 3;
	user_session();
	fixture_clause("few:::p", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	fixture_clause("few:::p", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	fixture_clause("test:::a", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	assert_int_equal(fixture_enable(&io, msg), 0);
	assert_int_equal(resource_held(1000, DTRACE_RES_INSTRUCTIONS), 1);
	first = fix.state;
	fix.state = NULL;
	assert_int_equal(dtrace_state_create(
				 &(struct dtrace_cred){.privs = DTRACE_PRIV_ALL, .account = 1000},
				 NULL, &fix.state),
			 0);
	fixture_clause("few:::[pqr]", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	assert_int_equal(fixture_enable(&io, msg), -EDQUOT);
	assert_non_null(strstr(msg, "user 1000 holds 3 enabled probes at single instructions"));
	assert_non_null(strstr(msg, "parameters/user_instructions"));
	assert_int_equal(resource_held(1000, DTRACE_RES_INSTRUCTIONS), 1);
	dtrace_state_destroy(first);
	assert_int_equal(resource_held(1000, DTRACE_RES_INSTRUCTIONS), 0);
	fixture_clause("few:::[pqr]", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	assert_int_equal(fixture_enable(&io, msg), 0);
	/* root has no such limit */
	first = fix.state;
	fix.state = NULL;
	assert_int_equal(dtrace_state_create(&(struct dtrace_cred){.privs = DTRACE_PRIV_ALL,
								   .account = 1000,
								   .privileged = true},
					     NULL, &fix.state),
			 0);
	fixture_clause("few:::", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	assert_int_equal(fixture_enable(&io, msg), 0);
	assert_int_equal(io.n_matched, 4);
	dtrace_state_destroy(first);
	dtrace_provider_unregister(few);
}

/*
 * Clauses on probes that interrupt are charged. An enabling that would pass the limit leaves
 * nothing behind.
 */
static void interrupts_are_charged(void **state)
{
	dtrace_state_t *first;
	dtrace_enable_io_t io;
	char msg[256];

	(void)state;
	dtrace_account_limits[DTRACE_RES_INTERRUPTS] = 100;
	fix.interrupts = 40;
	user_session();
	fixture_clause("test:::", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	assert_int_equal(fixture_enable(&io, msg), 0);
	assert_int_equal(io.n_matched, 2);
	assert_int_equal(interrupts_held(1000), 80);
	/* a probe interrupts no more for a second clause */
	fixture_clause("test:::a", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	assert_int_equal(fixture_enable(&io, msg), 0);
	assert_int_equal(interrupts_held(1000), 80);
	first = fix.state;
	fix.state = NULL;
	assert_int_equal(dtrace_state_create(
				 &(struct dtrace_cred){.privs = DTRACE_PRIV_ALL, .account = 1000},
				 NULL, &fix.state),
			 0);
	fix.interrupts = 20;
	build_option(&fix.dof, DTRACEOPT_STRSIZE, 777);
	fixture_clause("test:::", NULL,
		       (struct build_action[]){{.kind = DTRACEAGG_COUNT, .ntuple = 1}, ACT_END});
	assert_int_equal(fixture_enable(&io, msg), -EDQUOT);
	assert_non_null(strstr(msg, "user 1000 holds 100 interrupts a second"));
	assert_non_null(strstr(msg, "parameters/user_interrupts"));
	assert_int_equal(interrupts_held(1000), 80);
	fixture_clause("test:::a", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	assert_int_equal(fixture_enable(&io, msg), 0);
	assert_int_equal(interrupts_held(1000), 100);
	fixture_go();
	fixture_fire(fix.a, 7);
	assert_int_equal(fixture_status().dtst_errors, 0);
	dtrace_state_destroy(first);
	assert_int_equal(interrupts_held(1000), 20);
}

/* The lists of a probe's ECBs take memory in proportion to their number, and so does the time. */
static void many_clauses_on_a_probe(void **state)
{
	enum { N = 600, TIMES = 6 };
	unsigned long before;
	dtrace_enable_io_t io;

	(void)state;
	before = port_user_bytes();
	for (unsigned int k = 0; k < TIMES; k++) {
		for (unsigned int i = 0; i < N; i++)
			fixture_clause("test:mod:func:a", NULL, NULL);
		assert_int_equal(fixture_enable(&io, NULL), 0);
		assert_int_equal(io.n_matched, N);
	}
	/* N * TIMES lists of 8 * N * TIMES / 2 bytes would be 52 MB */
	assert_true(port_user_bytes() - before < 24 << 20);
}

/*
 * Accounts that have owed time become free together. One search of the table finds all of them: the
 * clock is read once for a search, of which there are two: an account is given out and put back.
 */
static void accounts_are_freed_in_one_pass(void **state)
{
	enum { N = 300 };
	unsigned long before;
	uint64_t last;

	(void)state;
	port_user_world.timestamp = 1000000000;
	dtrace_account_put(dtrace_account_get(1, false));
	before = port_user_allocated();
	for (uint32_t uid = 2; uid < N + 2; uid++) {
		struct dtrace_account *a = dtrace_account_get(uid, false);

		account_left(a, 0, ACCOUNT_SESSIONS, port_user_world.timestamp);
		account_spend(a, 0, ACCOUNT_SESSIONS, 1);
		dtrace_account_put(a);
	}
	assert_int_equal(port_user_allocated() - before, N);
	port_user_world.timestamp += 1000000000;
	port_user_world.tick = 1;
	last = port_user_world.timestamp;
	dtrace_account_put(dtrace_account_get(1, false));
	port_user_world.tick = 0;
	assert_int_equal(port_user_allocated(), before);
	assert_int_equal(port_user_world.timestamp - last, 2);
	port_user_world.timestamp = 0;
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(charges_are_bounded),
		T(users_and_rights_are_apart),
		T(accounts_are_listed),
		T(accounts_are_freed_in_one_pass),
		T(sessions_are_counted),
		T(sections_that_programs_share),
		T(programs_are_charged),
		T(memory_of_firings_is_charged),
		T(sessions_take_memory),
		T(tables_of_ecbs_are_charged),
		T(buffers_are_charged),
		T(interrupts_are_charged),
		T(few_probes_are_shared_out),
		T(many_clauses_on_a_probe),
		T(timers_take_a_share),
		T(calls_take_a_share),
		T(begin_on_a_cpu_takes_a_share),
		T(a_long_firing_is_paid_for),
		T(a_new_session_has_no_new_share),
		T(matching_is_bounded),
		T(programs_without_clauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
