/* SPDX-License-Identifier: MIT */
/*
 * engine_work.c - what a session may do in one firing: hostile programs end, others are unharmed,
 * and large programs that mean well run.
 */
#include "enabling.h"
#include "engine_fixture.h"
#include "fire.h"
#include "probe.h"
#include "state.h"

#define USER (DTRACE_PRIV_PROC | DTRACE_PRIV_USER)

static struct bytes text;

static void put(const char *s)
{
	bytes_add(&text, s, strlen(s));
}

static const char *repeat(const char *first, const char *line, unsigned int n, const char *last)
{
	text.n = 0;
	put(first);
	put("\n");
	for (unsigned int i = 0; i < n; i++) {
		put(line);
		put("\n");
	}
	put(last);
	bytes_add(&text, "", 1);
	return (const char *)text.p;
}

static void clause(const char *difo)
{
	struct build_action acts[] = {{.kind = DTRACEACT_DIFEXPR, .difo = difo}, ACT_END};

	fixture_clause("test:::a", NULL, acts);
}

/* A session of a user, or of root, with strings of strsize bytes. */
static void session(uint32_t privs, uint64_t strsize)
{
	static const struct build_action on_error[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg4, %r1; ret %r1"}, ACT_END};

	port_user_world.uid = 1000;
	fixture_session(privs, 1000);
	build_option(&fix.dof, DTRACEOPT_STRSIZE, strsize);
	fixture_clause("dtrace:::ERROR", NULL, on_error);
}

/* Return the work of the session's clauses in this CPU's last firing. */
static uint64_t work_done(void)
{
	const struct state_cpu *sc = &fix.state->cpus[0];
	uint64_t granted = sc->more == sc->hit ? sc->granted : fix.state->slice;

	return granted - (uint64_t)sc->work;
}

/*
 * Fire: the clauses must end with the fault, once, which ERROR hears of; the clause after them
 * (arg0 is recorded) must not run. What was done is not more than may be.
 */
static void must_end(uint64_t limit)
{
	struct bytes out = {0};

	fixture_clause("test:::a", NULL, (const struct build_action[]){ACT_ARG0, ACT_END});
	fixture_go();
	for (uint64_t hit = 1; hit <= 2; hit++) {
		fixture_fire(fix.a, 77);
		assert_int_equal(fixture_status().dtst_errors, hit);
		assert_int_equal(fixture_status().dtst_dblerrors, 0);
		out.n = 0;
		fixture_read(0, &out);
		assert_int_equal(fixture_u64(build_record(&out, 0), 0), DTRACEFLT_WORK);
		assert_null(build_record(&out, 1));
		assert_in_range(work_done(), limit / 2, limit + DTRACE_WORK_ERROR + WORK_FAULT);
	}
	bytes_free(&out);
}

/* A string of 1,920 characters in %r1, and twice on the stack. */
#define LONG_STRING                                                                           \
	"sets \""                                                                             \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", %r1\n" DOUBLE DOUBLE \
		DOUBLE DOUBLE DOUBLE "flushts; pushtv ctf, %r0, %r1; pushtv ctf, %r0, %r1\n"
#define DOUBLE "flushts; pushtv ctf, %r0, %r1; pushtv ctf, %r0, %r1; call strjoin, %r1\n"

static void hostile_programs_end(void **state)
{
	static const struct {
		const char *first, *line;
		unsigned int n;
	} tries[] = {
		{LONG_STRING "sets \"aaaaaaaaaaaaaaaaaaaaaaaaaaaab\", %r2; flushts\n"
			     "pushtv ctf, %r0, %r1; pushtv ctf, %r0, %r2",
		 "call strstr, %r3", 2000},
		{LONG_STRING, "call index, %r3", 4000},
		{LONG_STRING, "call strlen, %r3", 4000},
		{LONG_STRING, "scmp %r1, %r1", 4000},
		{LONG_STRING, "stgs g, %r1", 4000},
		{LONG_STRING, "call json, %r3", 4000},
		{"setx 60000, %r1; allocs %r1, %r2; allocs %r1, %r3; flushts; pushtv ctf, %r0, %r2\n"
		 "pushtv ctf, %r0, %r3; pushtv ctf, %r0, %r1",
		 "call bcopy, %r4", 2000},
		{"setx 60000, %r1; allocs %r1, %r2; allocs %r1, %r3", "copys %r2, %r1, %r3", 2000},
		{"setx 60000, %r1; allocs %r1, %r2; flushts; pushtr ctf, %r1, %r2", "stgaa a, %r1",
		 2000},
		{"setx 1, %r1; flushts; pushtv ctf, %r0, %r1", "ldgaa a, %r2", 60000},
		{"setx 1, %r1", "udiv %r1, %r1, %r2", 120000},
		{"", "ldgs ustackdepth, %r2", 4000},
	};
	static uint64_t pcs[512];

	(void)state;
	port_user_world.pcs = pcs;
	port_user_world.npcs = 512;
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		char first[2048];

		snprintf(first, sizeof(first),
			 "type void; var global g string(4096); var global[] a int\n%s",
			 tries[i].first);
		session(USER, 4096);
		clause(repeat(first, tries[i].line, tries[i].n, "ret %r0"));
		must_end(DTRACE_WORK_USER);
		/* the same, once: it is not the program that is wrong */
		session(USER, 4096);
		clause(repeat(first, tries[i].line, 1, "ret %r0"));
		fixture_go();
		fixture_fire(fix.a, 0);
		assert_int_equal(fixture_status().dtst_errors, 0);
		assert_in_range(work_done(), 1, DTRACE_WORK_USER / 8);
	}
	port_user_world.pcs = NULL;
	port_user_world.npcs = 0;
}

static void many_actions_end(void **state)
{
	enum { N = 60000 };
	struct build_action *acts = calloc(N + 1, sizeof(*acts));

	(void)state;
	assert_non_null(acts);
	session(USER, 256);
	acts[0].kind = DTRACEACT_DIFEXPR;
	acts[0].difo = repeat("type void", "setx 1, %r1", 50, "ret %r0");
	fixture_clause("test:::b", NULL, acts);
	for (unsigned int i = 0; i < N; i++)
		acts[i].kind = DTRACEAGG_COUNT, acts[i].difo = NULL, acts[i].ntuple = 1;
	fixture_clause("test:::a", NULL, acts);
	fixture_clause("test:::a", NULL, acts);
	must_end(DTRACE_WORK_USER);
	free(acts);
}

/* Clauses by the thousand, of which none does anything that is dear. */
static void many_clauses_end(void **state)
{
	struct build_action acts[20];
	uint32_t section;

	(void)state;
	session(USER, 256);
	for (int i = 0; i < 20; i++)
		acts[i] = (struct build_action){.kind = DTRACEAGG_COUNT, .ntuple = 1};
	for (int n = 0; n < 13; n++) {
		section = build_actions(&fix.dof, acts, 20);
		for (int i = 0; i < 300; i++)
			build_clause(&fix.dof, "test:::a", NULL, section, 0);
		assert_int_equal(fixture_enable(NULL, NULL), 0);
	}
	must_end(DTRACE_WORK_USER);
}

/* A session that has used up its work takes nothing from another, whichever comes first. */
static void others_go_on(void **state)
{
	static const struct build_action arg0[] = {ACT_ARG0, ACT_END};
	struct bytes out = {0};
	dtrace_state_t *hostile;

	(void)state;
	session(USER, 256);
	clause(repeat("type void; setx 1, %r1", "udiv %r1, %r1, %r2", 120000, "ret %r0"));
	fixture_go();
	hostile = fix.state;
	fix.state = NULL;
	session(USER, 256);
	fixture_clause("test:::a", NULL, arg0);
	fixture_go();
	fixture_fire(fix.a, 5);
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 5);
	assert_int_equal(fixture_status().dtst_errors, 0);
	dtrace_state_destroy(fix.state);
	fix.state = hostile;
	assert_int_equal(fixture_status().dtst_errors, 1);
	bytes_free(&out);
}

/* ERROR's clauses have an amount of their own, and no more. */
static void error_clauses_end(void **state)
{
	(void)state;
	port_user_world.uid = 1000;
	fixture_session(USER, 1000);
	for (int i = 0; i < 3; i++) {
		struct build_action acts[] = {
			{.kind = DTRACEACT_DIFEXPR,
			 .difo = repeat("type void; setx 1, %r1", "udiv %r1, %r1, %r2", 120000,
					"ret %r0")},
			ACT_END};

		fixture_clause(i ? "dtrace:::ERROR" : "test:::a", NULL, acts);
	}
	fixture_go();
	fixture_fire(fix.a, 0);
	assert_int_equal(fixture_status().dtst_errors, 1);
	assert_int_equal(fixture_status().dtst_dblerrors, 1);
}

static void root_may_do_more(void **state)
{
	(void)state;
	session(DTRACE_PRIV_ALL, 256);
	clause(repeat("type void; setx 1, %r1", "udiv %r1, %r1, %r2", 120000, "ret %r0"));
	fixture_go();
	fixture_fire(fix.a, 0);
	assert_int_equal(fixture_status().dtst_errors, 0);
	session(DTRACE_PRIV_ALL, 256);
	for (int i = 0; i < 20; i++)
		clause(repeat("type void; setx 1, %r1", "udiv %r1, %r1, %r2", 120000, "ret %r0"));
	must_end(DTRACE_WORK_ROOT);
}

/* tracemem of 64 KiB, 100 strings, strings of 64 KiB, deep stacks as keys. */
static void large_programs_run(void **state)
{
	static char area[65536];
	static uint64_t pcs[1024];
	struct build_action acts[101] = {{.kind = DTRACEACT_TRACEMEM, .arg = sizeof(area)}};

	(void)state;
	memset(area, 'x', sizeof(area) - 1);
	port_user_world.pcs = pcs;
	port_user_world.npcs = 1000;
	session(USER, DTRACE_STRSIZE_MAX);
	acts[0].difo = "type uref struct(65536); ldgs arg0, %r1; ret %r1";
	acts[1] = (struct build_action){.kind = DTRACEACT_USTACK, .arg = 1000};
	acts[2] = (struct build_action){.kind = DTRACEAGG_COUNT, .ntuple = 2};
	fixture_clause("test:::a", NULL, acts);
	clause("type void; var global g string; ldgs arg0, %r1; flushts; pushtv ctf, %r0, %r1;"
	       "call copyinstr, %r1; stgs g, %r1; ldgs g, %r2; ret %r0");
	fixture_go();
	fixture_fire(fix.a, (uint64_t)(uintptr_t)area);
	assert_int_equal(fixture_status().dtst_errors, 0);

	session(USER, 256);
	memset(acts, 0, sizeof(acts));
	for (int i = 0; i < 100; i++) {
		acts[i].kind = DTRACEACT_DIFEXPR;
		acts[i].difo = "type uref string; ldgs arg0, %r1; ret %r1";
	}
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	fixture_fire(fix.a, (uint64_t)(uintptr_t)area);
	assert_int_equal(fixture_status().dtst_errors, 0);

	session(DTRACE_PRIV_ALL, 256);
	for (int n = 0; n < 2; n++) {
		uint32_t section = build_actions(&fix.dof, acts, 3);

		for (int i = 0; i < 500; i++)
			build_clause(&fix.dof, "test:::a", NULL, section, 0);
		assert_int_equal(fixture_enable(NULL, NULL), 0);
	}
	fixture_go();
	fixture_fire(fix.a, (uint64_t)(uintptr_t)area);
	assert_int_equal(fixture_status().dtst_errors, 0);
	port_user_world.pcs = NULL;
	port_user_world.npcs = 0;
}

/* A running clause looks at the time now and then: when nothing else has run for long, it ends. */
static void the_deadman_ends_a_clause(void **state)
{
	const char *difo;

	(void)state;
	for (int alive = 1; alive >= 0; alive--) {
		port_user_world.timestamp = 1000000000;
		session(DTRACE_PRIV_ALL, 256);
		difo = repeat("type void; setx 1, %r1", "udiv %r1, %r1, %r2", 30000, "ret %r0");
		clause(difo);
		fixture_go();
		port_user_world.timestamp += DTRACE_DEADMAN_TIMEOUT + 1;
		if (alive)
			dtrace_state_deadman(fix.state);
		fixture_fire(fix.a, 0);
		assert_int_equal(fixture_status().dtst_errors, !alive);
		assert_int_equal(fixture_status().dtst_killed, !alive);
	}
	port_user_world.timestamp = 0;
}

#define SESSIONS 24

/* About half a million units of work: depths of a stack of 512 frames. */
static const char *hog(unsigned int depths)
{
	static uint64_t pcs[512];

	port_user_world.pcs = pcs;
	port_user_world.npcs = 512;
	return repeat("type void", "ldgs ustackdepth, %r2", depths, "ret %r0");
}

static void small_session(uint32_t privs, uint32_t uid)
{
	fix.state = NULL;
	fixture_session(privs, uid);
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 4096);
}

/* Sessions that do all that they may share what one may do; another user's is unharmed. */
static void sessions_of_a_user_share(void **state)
{
	dtrace_state_t *all[SESSIONS];
	const struct state_cpu *sc;
	uint64_t given = 0, once = 0;

	(void)state;
	dtrace_state_destroy(fix.state);
	for (int i = 0; i < SESSIONS; i++) {
		port_user_world.uid = 1000;
		small_session(USER, 1000);
		clause(hog(15));
		fixture_go();
		all[i] = fix.state;
	}
	fix.state = NULL;
	for (int i = 0; i < 2; i++) /* each firing begins anew */
		fixture_fire(fix.a, 0);
	for (int i = 0; i < SESSIONS; i++) {
		fix.state = all[i];
		sc = &fix.state->cpus[0];
		given += sc->more == sc->hit ? sc->granted : fix.state->slice;
		once += fixture_status().dtst_errors == 0;
		assert_in_range(fixture_status().dtst_errors, 0, 2);
		dtrace_state_destroy(all[i]);
	}
	fix.state = NULL;
	assert_in_range(once, 1, 2); /* the first one had what it needed */
	assert_in_range(given, DTRACE_WORK_USER / 2,
			DTRACE_WORK_USER + SESSIONS * DTRACE_WORK_SLICE_USER);
}

/* One user's sessions take nothing from another user's, however they come. */
static void users_do_not_share(void **state)
{
	dtrace_state_t *hostile;

	(void)state;
	session(USER, 256);
	for (int i = 0; i < 4; i++)
		clause(hog(8));
	fixture_go();
	hostile = fix.state;
	small_session(USER | DTRACE_PRIV_OWNER, 1001);
	clause(hog(8));
	fixture_go();
	fixture_fire(fix.a, 0);
	assert_int_equal(fixture_status().dtst_errors, 0);
	assert_in_range(work_done(), 200000, DTRACE_WORK_USER);
	dtrace_state_destroy(fix.state);
	fix.state = hostile;
	assert_int_equal(fixture_status().dtst_errors, 1);
}

/* chill() is bounded for all sessions of a user together. */
static void chills_add_up(void **state)
{
	static const struct build_action chill[] = {
		{.kind = DTRACEACT_CHILL, .difo = "ldgs arg0, %r1; ret %r1"}, ACT_END};
	dtrace_state_t *all[3];

	(void)state;
	port_user_world.timestamp = 5000000000;
	port_user_world.delayed = 0;
	dtrace_state_destroy(fix.state);
	for (int i = 0; i < 3; i++) {
		fix.state = NULL;
		fixture_session(DTRACE_PRIV_ALL, i < 2 ? 1000 : 1001);
		build_option(&fix.dof, DTRACEOPT_DESTRUCTIVE, 1);
		fixture_clause("test:::a", NULL, chill);
		fixture_go();
		all[i] = fix.state;
	}
	fixture_fire(fix.a, 300000000);
	assert_true(port_user_world.delayed == 600000000); /* one of the first two, and the third */
	for (int i = 0; i < 3; i++) {
		fix.state = all[i];
		assert_int_equal(fixture_status().dtst_errors, i == 1);
		if (i < 2)
			dtrace_state_destroy(fix.state);
	}
	port_user_world.timestamp = 0;
	port_user_world.delayed = 0;
}

/* A firing passes each ECB of a session, which may do nothing more: there are not too many. */
static void clauses_on_a_probe_are_bounded(void **state)
{
	struct build_action acts[] = {ACT_ARG0, ACT_END};
	dtrace_enable_io_t io;
	char msg[256];
	uint32_t section;

	(void)state;
	fixture_session(USER, 1000);
	for (int n = 0; n < DTRACE_CLAUSES_MAX / 256; n++) {
		section = build_actions(&fix.dof, acts, 1);
		for (int i = 0; i < 256; i++)
			build_clause(&fix.dof, "test:::a", NULL, section, 0);
		assert_int_equal(fixture_enable(&io, msg), 0);
		assert_int_equal(io.n_matched, 256);
	}
	fixture_clause("test:::b", NULL, acts);
	assert_int_equal(fixture_enable(&io, msg), 0);
	fixture_clause("test:::a", NULL, acts);
	assert_int_equal(fixture_enable(&io, msg), -EDQUOT);
	assert_string_equal(
		msg, "more than 4096 clauses of one session are on the probe test:mod:func:a");
}

/* Let fix.state have n clauses more on a probe. */
static void more_clauses(const char *probe, unsigned int n)
{
	struct build_action acts[] = {ACT_ARG0, ACT_END};
	dtrace_enable_io_t io;
	uint32_t section;
	char msg[256];

	for (unsigned int some; n; n -= some) {
		some = n < 256 ? n : 256; /* a DOF has so many sections only */
		section = build_actions(&fix.dof, acts, 1);
		for (unsigned int i = 0; i < some; i++)
			build_clause(&fix.dof, probe, NULL, section, 0);
		assert_int_equal(fixture_enable(&io, msg), 0);
		assert_int_equal(io.n_matched, some);
	}
}

/* Begin another session beside fix.state, which is returned. */
static dtrace_state_t *another_session(uint32_t privs, uint32_t uid)
{
	dtrace_state_t *first = fix.state;

	fix.state = NULL;
	fixture_session(privs, uid);
	return first;
}

/*
 * Many sessions of a user have no more clauses on a probe than one may have. Other users have their
 * own.
 */
static void clauses_of_a_user_are_bounded(void **state)
{
	struct build_action acts[] = {ACT_ARG0, ACT_END};
	dtrace_state_t *sessions[2], *other;
	dtrace_enable_io_t io;
	char msg[256];

	(void)state;
	fixture_session(USER, 1000);
	more_clauses("test:::a", DTRACE_CLAUSES_MAX - 1);
	sessions[0] = another_session(USER, 1000);
	more_clauses("test:::a", 1);
	fixture_clause("test:::a", NULL, acts);
	assert_int_equal(fixture_enable(&io, msg), -EDQUOT);
	assert_non_null(
		strstr(msg, "user 1000 have 4096 clauses in 2 rows on the probe test:mod:func:a"));
	assert_non_null(strstr(msg, "parameters/user_clauses"));
	dtrace_account_clauses++;
	more_clauses("test:::a", 1);
	dtrace_account_clauses--;
	sessions[1] = another_session(USER, 1001);
	more_clauses("test:::a", 1);
	other = another_session(USER, 1000);
	dtrace_state_destroy(sessions[0]);
	more_clauses("test:::a", 2); /* the first session gave its own back */
	dtrace_state_destroy(sessions[1]);
	dtrace_state_destroy(other);
}

/* Two sessions of a user that enable by turns cannot make firings look at each of their clauses. */
static void rows_of_a_user_are_bounded(void **state)
{
	struct build_action acts[] = {ACT_ARG0, ACT_END};
	dtrace_state_t *turn;
	dtrace_enable_io_t io;
	unsigned int n = 0;
	char msg[256];
	int rc;

	(void)state;
	fixture_session(USER, 1000);
	turn = another_session(USER, 1000);
	do {
		dtrace_state_t *next = fix.state;

		fixture_clause("test:::a", NULL, acts);
		rc = fixture_enable(&io, msg);
		fix.state = turn;
		turn = next;
	} while (!rc && ++n <= DTRACE_ROWS_MAX);
	assert_int_equal(rc, -EDQUOT);
	assert_int_equal(n, DTRACE_ROWS_MAX);
	assert_non_null(strstr(msg, "in 256 rows"));
	assert_non_null(strstr(msg, "parameters/user_rows"));
	dtrace_account_rows++;
	fixture_clause("test:::a", NULL, acts);
	assert_int_equal(fixture_enable(&io, msg), 0);
	dtrace_account_rows--;
	dtrace_state_destroy(turn);
}

/* Return the ns that a firing takes, the best of several. */
static uint64_t time_of_firing(void)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 50; i++) {
		uint64_t began = port_timestamp(), took;

		fixture_fire(fix.a, 1);
		took = port_timestamp() - began;
		best = took < best ? took : best;
	}
	return best;
}

/*
 * The clauses of sessions that may not see a firing are passed in one step, and those of
 * other sessions, before, between and behind them, run.
 */
static void clauses_that_see_nothing_cost_nothing(void **state)
{
	dtrace_state_t *blind, *seeing;
	struct bytes out = {0};
	dtrace_go_t go;
	uint64_t alone;

	(void)state;
	port_user_world.uid = 1001;
	fixture_session(USER, 1001);
	more_clauses("test:::a", 2);
	assert_int_equal(dtrace_state_go(fix.state, &go), 0);
	alone = time_of_firing();
	fixture_session(USER, 1001);
	more_clauses("test:::a", 1);
	seeing = another_session(USER, 1000);
	blind = fix.state;
	more_clauses("test:::a", DTRACE_CLAUSES_MAX - 1);
	fix.state = seeing;
	more_clauses("test:::a", 1);
	fix.state = blind;
	more_clauses("test:::a", 1); /* a row of its own, behind the others */
	fix.state = seeing;
	assert_int_equal(dtrace_state_go(blind, &go), 0);
	assert_int_equal(dtrace_state_go(seeing, &go), 0);
	fixture_fire(fix.a, 77);
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 77);
	assert_int_equal(fixture_u64(build_record(&out, 1), 0), 77);
	assert_null(build_record(&out, 2));
	assert_int_equal(fix.a->ecbs->ecbs[1]->row, DTRACE_CLAUSES_MAX - 2);
	/* to look at each would take a hundred times as long */
	assert_true(time_of_firing() < 10 * alone);
	dtrace_state_destroy(blind);
	out.n = 0;
	fixture_read(0, &out);
	fixture_fire(fix.a, 78);
	out.n = 0;
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 78);
	assert_int_equal(fixture_u64(build_record(&out, 1), 0), 78);
	assert_null(build_record(&out, 2));
	bytes_free(&out);
	port_user_world.uid = 0;
}

#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(hostile_programs_end),
		T(many_actions_end),
		T(many_clauses_end),
		T(others_go_on),
		T(error_clauses_end),
		T(root_may_do_more),
		T(large_programs_run),
		T(the_deadman_ends_a_clause),
		T(sessions_of_a_user_share),
		T(users_do_not_share),
		T(chills_add_up),
		T(clauses_on_a_probe_are_bounded),
		T(clauses_of_a_user_are_bounded),
		T(rows_of_a_user_are_bounded),
		T(clauses_that_see_nothing_cost_nothing),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	bytes_free(&text);
	return failed;
}
