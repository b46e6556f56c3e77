/* SPDX-License-Identifier: MIT */
/*
 * engine_var.c - variables across firings, and dynamic variables used by threads that play CPUs at
 * the same time.
 */
#include "engine_fixture.h"
#include "core.h"
#include <pthread.h>

#define ROUNDS 20000

/* self->n = self->n + arg0, recorded */
static const struct build_action add_thread[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "var thread n int; ldts n, %r1; ldgs arg0, %r2; add %r1, %r2, %r1; stts n, %r1; "
		 "ret %r1"},
	ACT_END};
/* a[arg0] = a[arg0] ? 0 : 1; counts what it reads */
static const struct build_action toggle[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type void; var global[] tog int; ldgs arg0, %r1; flushts; pushtv ctf, %r0, %r1;"
		 "ldgaa tog, %r2; setx 1, %r3; xor %r2, %r3, %r2; stgaa tog, %r2; ret %r0"},
	ACT_END};
/* s[arg0] = "....", then it is read back, in one clause; the result is 1 if it is whole */
static const struct build_action strings[] = {
	{.kind = DTRACEAGG_SUM,
	 .ntuple = 1,
	 .difo = "var global[] strs string; ldgs arg0, %r1; flushts; pushtv ctf, %r0, %r1; ldgs "
		 "execname, %r2;"
		 "stgaa strs, %r2; ldgaa strs, %r3; flushts; pushtv ctf, %r0, %r3; call strlen, "
		 "%r4; ret %r4"},
	ACT_END};

static void threads_have_their_own(void **state)
{
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, add_thread);
	fixture_go();
	port_user_world.key = 1;
	fixture_fire(fix.a, 5);
	port_user_world.key = 2;
	fixture_fire(fix.a, 7);
	port_user_world.key = 1;
	fixture_fire_on(1, fix.a, 10); /* the thread has moved */
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 5);
	assert_int_equal(fixture_u64(build_record(&out, 1), 0), 7);
	out.n = 0;
	fixture_read(1, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 15);
	bytes_free(&out);
}

/*
 * A thread that is born where another has been, at the address or at the time, has none of its
 * values.
 */
static void threads_that_are_born_later(void **state)
{
	static const uint64_t threads[][2] = {{1, 10}, {1, 11}, {2, 10}, {1, 10}};
	static const uint64_t sums[] = {5, 5, 5, 10};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, add_thread);
	fixture_go();
	for (unsigned int i = 0; i < 4; i++) {
		port_user_world.key = threads[i][0];
		port_user_world.born = threads[i][1];
		fixture_fire(fix.a, 5);
	}
	port_user_world.born = 0;
	fixture_read(0, &out);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(fixture_u64(build_record(&out, i), 0), sums[i]);
	bytes_free(&out);
}

static void variables_are_of_a_session(void **state)
{
	dtrace_state_t *first = fix.state;
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, add_thread);
	fixture_go();
	fix.state = NULL;
	fixture_session(DTRACE_PRIV_ALL, 0);
	fixture_clause("test:::a", NULL, add_thread);
	fixture_go();
	fixture_fire(fix.a, 5);
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 5);
	dtrace_state_destroy(first);
	bytes_free(&out);
}

static void globals_and_locals_across_clauses(void **state)
{
	static const struct build_action set[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "type void; var global gv int; var local lv int; var global gs string(8);"
			 "ldgs arg0, %r1; stgs gv, %r1; stls lv, %r1; sets \"text\", %r2; stgs "
			 "gs, %r2; ret %r0"},
		ACT_END};
	static const struct build_action get[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "var global gv int; ldgs gv, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "var local lv int; ldls lv, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "type string(8); var global gs string(8); ldgs gs, %r1; ret %r1"},
		ACT_END};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, set);
	fixture_clause("test:::a", NULL, get);
	fixture_go();
	fixture_fire(fix.a, 9);
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 9);
	assert_int_equal(fixture_u64(build_record(&out, 0), 8), 9);
	assert_string_equal((const char *)(build_record(&out, 0) + 1) + 16, "text");
	bytes_free(&out);
}

static void two_types_for_one_name(void **state)
{
	static const struct build_action as_int[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "var global twice int; ldgs twice, %r1; ret %r1"},
		ACT_END};
	static const struct build_action as_string[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "type string; var global twice string; ldgs twice, %r1; ret %r1"},
		ACT_END};
	char msg[256];

	(void)state;
	fixture_clause("test:::a", NULL, as_int);
	fixture_clause("test:::a", NULL, as_string);
	assert_int_equal(fixture_enable(NULL, msg), -EINVAL);
	assert_non_null(strstr(msg, "twice"));
	assert_non_null(strstr(msg, "two different types"));
}

static void no_room_is_counted_and_room_is_used_again(void **state)
{
	uint64_t drops;

	(void)state;
	build_option(&fix.dof, DTRACEOPT_DYNVARSIZE, 4096);
	fixture_clause("test:::a", NULL, toggle);
	fixture_go();
	for (uint64_t i = 0; i < 1000; i++)
		fixture_fire(fix.a, i);
	drops = fixture_status().dtst_dyndrops;
	assert_in_range(drops, 900, 990);
	fixture_session(DTRACE_PRIV_ALL, 0);
	build_option(&fix.dof, DTRACEOPT_DYNVARSIZE, 4096);
	fixture_clause("test:::a", NULL, toggle);
	fixture_go();
	for (uint64_t i = 0; i < 20000; i++) /* ten come, the same ten go */
		fixture_fire_on((unsigned int)(i / 10 % FIXTURE_CPUS), fix.a, i / 20 * 10 + i % 10);
	assert_int_equal(fixture_status().dtst_dyndrops, 0);
}

/* ---- strings of any length ---- */

#define NAME \
	"ldgs arg1, %r1; flushts; pushtv ctf, %r0, %r1; call copyinstr, %r1; ldgs arg0, %r4; flushts; "

/* b[s, arg0] = s, where s is the string at arg1; what was there before is recorded. */
static const struct build_action named[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type string; var global[] b string; " NAME
		 "pushtr string, %r0, %r1; pushtv ctf, %r0, %r4; ldgaa b, %r2; stgaa b, %r1; ret %r2"},
	ACT_END};
/* c[arg0] = s; what was there before is recorded. */
static const struct build_action kept[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type string; var global[] c string; " NAME
		 "pushtv ctf, %r0, %r4; ldgaa c, %r2; stgaa c, %r1; ret %r2"},
	ACT_END};
/* c[arg0] = 0 */
static const struct build_action removed[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type void; var global[] c string; ldgs arg0, %r4; flushts; "
		 "pushtv ctf, %r0, %r4; stgaa c, %r0; ret %r0"},
	ACT_END};
/* seen[s, s, arg0]++; the sum is recorded. */
static const struct build_action seen[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "var global[] seen int; ldgs execname, %r1; ldgs arg0, %r4; flushts; "
		 "pushtr string, %r0, %r1; pushtr string, %r0, %r1; pushtv ctf, %r0, %r4; ldgaa seen, %r2; "
		 "setx 1, %r3; add %r2, %r3, %r2; stgaa seen, %r2; ret %r2"},
	ACT_END};

/* Return a name of n characters, which differs from others in the last one. */
static const char *name_of(size_t n)
{
	static char name[256];

	assert_true(n < sizeof(name));
	memset(name, 'n', n);
	if (n)
		name[n - 1] = (char)('a' + n % 26);
	name[n] = '\0';
	return name;
}

/* Fire with a name of n characters; the string that is recorded has before of them. -1: none is. */
static void fire_named(size_t n, uint64_t arg0, int before)
{
	const uint64_t args[] = {arg0, (uint64_t)(uintptr_t)name_of(n)};
	const struct dtrace_fire firing = {.args = args, .nargs = 2};
	struct bytes out = {0};

	dtrace_fire(fix.a, &firing);
	fixture_read(0, &out);
	if (before < 0)
		assert_null(build_record(&out, 0)); /* a fault: NULL cannot be recorded */
	else
		assert_string_equal((const char *)(build_record(&out, 0) + 1),
				    name_of((size_t)before));
	bytes_free(&out);
}

/* As many elements with short strings fit as the default size has for 200 bytes each. */
static void strings_take_their_own_length(void **state)
{
	(void)state;
	fixture_clause("test:::a", NULL, seen);
	fixture_go();
	port_user_world.execname = "a-usual-name";
	for (uint64_t i = 0; i < 20000; i++)
		fixture_fire(fix.a, i);
	assert_int_equal(fixture_status().dtst_dyndrops, 0);
}

/* Keys and values of all lengths are found again, and free all that they took. */
static void strings_of_all_lengths(void **state)
{
	(void)state;
	build_option(&fix.dof, DTRACEOPT_DYNVARSIZE, 256 << 10);
	fixture_clause("test:::a", NULL, named);
	fixture_go();
	for (int round = 0; round < 2; round++)
		for (size_t n = 0; n < 256; n++)
			fire_named(n, 1, round ? (int)n : -1);
	assert_int_equal(fixture_status().dtst_dyndrops, 0);
}

static void a_value_becomes_longer_and_shorter(void **state)
{
	static const size_t lengths[] = {3, 255, 0, 40, 39, 41, 130, 131, 1, 254, 7, 200};
	int before;

	(void)state;
	build_option(&fix.dof, DTRACEOPT_DYNVARSIZE, 2048);
	fixture_clause("test:::a", NULL, kept);
	fixture_clause("test:::b", NULL, removed);
	fixture_go();
	for (int round = 0; round < 50; round++) { /* it frees what it does not need any more */
		before = -1;
		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			fire_named(lengths[i], 3, before);
			before = (int)lengths[i];
		}
		fixture_fire(fix.b, 3);
	}
	fire_named(5, 3, -1);
	assert_int_equal(fixture_status().dtst_dyndrops, 0);
}

/*
 * A value that does not fit is a drop, and leaves the old value and the free memory as they were.
 */
static void no_space_for_a_longer_value(void **state)
{
	uint64_t others = 0;

	(void)state;
	build_option(&fix.dof, DTRACEOPT_DYNVARSIZE, 2048);
	fixture_clause("test:::a", NULL, kept);
	fixture_clause("test:::b", NULL, removed);
	fixture_go();
	fire_named(10, 0, -1);
	while (!fixture_status().dtst_dyndrops)
		fire_named(10, ++others, -1);
	assert_in_range(others, 10, 40);
	fire_named(250, 0, 10);
	fire_named(10, 0, 10);
	assert_int_equal(fixture_status().dtst_dyndrops, 2);
	for (uint64_t i = 1; i < others; i++)
		fixture_fire(fix.b, i);
	fire_named(250, 0, 10);
	fire_named(10, 0, 250);
	assert_int_equal(fixture_status().dtst_dyndrops, 2);
}

struct worker {
	pthread_t thread;
	unsigned int cpu;
	uint64_t keys, rounds;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	port_user_set_cpu(w->cpu);
	port_user_world.key = 100 + w->cpu;
	port_user_world.execname = w->cpu % 2 ? "odd-length-name" : "even";
	for (uint64_t i = 0; i < w->rounds; i++)
		fixture_fire(fix.a, i % w->keys);
	return NULL;
}

static void work_on_all_cpus(uint64_t keys, uint64_t rounds)
{
	struct worker w[FIXTURE_CPUS] = {0};

	for (unsigned int c = 0; c < FIXTURE_CPUS; c++) {
		w[c].cpu = c;
		w[c].keys = keys;
		w[c].rounds = rounds;
		assert_int_equal(pthread_create(&w[c].thread, NULL, work, &w[c]), 0);
	}
	for (unsigned int c = 0; c < FIXTURE_CPUS; c++)
		pthread_join(w[c].thread, NULL);
}

static void cpus_toggle_the_same_elements(void **state)
{
	(void)state;
	build_option(&fix.dof, DTRACEOPT_DYNVARSIZE, 64 << 10);
	fixture_clause("test:::a", NULL, toggle);
	fixture_go();
	work_on_all_cpus(7, ROUNDS);
	assert_int_equal(fixture_status().dtst_dyndrops, 0);
	assert_int_equal(fixture_status().dtst_errors, 0);
}

static void cpus_use_up_the_memory(void **state)
{
	(void)state;
	build_option(&fix.dof, DTRACEOPT_DYNVARSIZE, 8 << 10);
	fixture_clause("test:::a", NULL, toggle);
	fixture_go();
	work_on_all_cpus(1001, ROUNDS);
	assert_true(fixture_status().dtst_dyndrops > 0);
	assert_int_equal(fixture_status().dtst_errors, 0);
}

static void threads_count_without_loss(void **state)
{
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "type void; var thread tn int; ldts tn, %r1; setx 1, %r2; add %r1, %r2, "
			 "%r1;"
			 "stts tn, %r1; ret %r0"},
		{.kind = DTRACEAGG_MAX,
		 .ntuple = 1,
		 .difo = "var thread tn int; ldts tn, %r1; ret %r1"},
		ACT_END};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	work_on_all_cpus(1, ROUNDS);
	for (unsigned int c = 0; c < FIXTURE_CPUS; c++) {
		out.n = 0;
		fixture_read_aggs(c, &out);
		assert_int_equal(*(const int64_t *)(build_aggrec(&out, 0) + 1), ROUNDS);
	}
	bytes_free(&out);
}

/* A string that two CPUs write is one or the other, never a mixture: its length is 4 or 15. */
static void strings_are_read_whole(void **state)
{
	struct bytes out = {0};
	int64_t sum;

	(void)state;
	fixture_clause("test:::a", NULL, strings);
	fixture_go();
	work_on_all_cpus(1, ROUNDS);
	for (unsigned int c = 0; c < FIXTURE_CPUS; c++) {
		out.n = 0;
		fixture_read_aggs(c, &out);
		sum = *(const int64_t *)(build_aggrec(&out, 0) + 1);
		assert_int_equal((sum - 4 * ROUNDS) % 11, 0);
		assert_in_range(sum, 4 * ROUNDS, 15 * ROUNDS);
	}
	bytes_free(&out);
}

/* Snapshots, sessions and probes come and go while CPUs fire. */
static void sessions_end_while_probes_fire(void **state)
{
	struct worker w[FIXTURE_CPUS] = {0};
	struct bytes out = {0};

	(void)state;
	for (unsigned int c = 1; c < FIXTURE_CPUS; c++) {
		w[c].cpu = c;
		w[c].keys = 50;
		w[c].rounds = ROUNDS * 5;
		assert_int_equal(pthread_create(&w[c].thread, NULL, work, &w[c]), 0);
	}
	for (int i = 0; i < 60; i++) {
		fixture_session(DTRACE_PRIV_ALL, 0);
		fixture_clause("test:::", NULL, i % 2 ? toggle : strings);
		fixture_clause("test:::a", NULL, add_thread);
		fixture_go();
		for (unsigned int c = 0; c < FIXTURE_CPUS; c++) {
			fixture_read(c, &out);
			fixture_read_aggs(c, &out);
		}
		if (i % 3 == 0)
			fixture_stop();
		out.n = 0;
	}
	for (unsigned int c = 1; c < FIXTURE_CPUS; c++)
		pthread_join(w[c].thread, NULL);
	bytes_free(&out);
}

#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(threads_have_their_own),
		T(threads_that_are_born_later),
		T(variables_are_of_a_session),
		T(globals_and_locals_across_clauses),
		T(two_types_for_one_name),
		T(no_room_is_counted_and_room_is_used_again),
		T(strings_take_their_own_length),
		T(strings_of_all_lengths),
		T(a_value_becomes_longer_and_shorter),
		T(no_space_for_a_longer_value),
		T(cpus_toggle_the_same_elements),
		T(cpus_use_up_the_memory),
		T(threads_count_without_loss),
		T(strings_are_read_whole),
		T(sessions_end_while_probes_fire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
