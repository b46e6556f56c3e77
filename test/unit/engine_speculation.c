/* SPDX-License-Identifier: MIT */
/*
 * engine_speculation.c - speculations: committed and discarded, on one CPU and on several, and
 * counted when they do not fit.
 */
#include "engine_fixture.h"
#include "speculation.h"
#include "state.h"
#include <pthread.h>

#define ID "ldgs arg0, %r1; ret %r1" /* arg0 is the speculation */

static const struct build_action add[] = {
	{.kind = DTRACEACT_SPECULATE, .difo = ID},
	{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs cpu, %r1; ret %r1"},
	ACT_END};
static const struct build_action commit[] = {{.kind = DTRACEACT_COMMIT, .difo = ID}, ACT_END};
static const struct build_action discard[] = {{.kind = DTRACEACT_DISCARD, .difo = ID}, ACT_END};
static const struct build_action get[] = {
	{.kind = DTRACEACT_DIFEXPR, .difo = "flushts; call speculation, %r1; ret %r1"}, ACT_END};

static uint64_t specsize = 256;
static dtrace_probe_t *probe_get, *probe_commit, *probe_discard;

/* a adds to the speculation arg0, others get, commit and discard one. */
static void go(uint64_t nspec)
{
	probe_get = fixture_probe("f", "get");
	probe_commit = fixture_probe("f", "commit");
	probe_discard = fixture_probe("f", "discard");
	build_option(&fix.dof, DTRACEOPT_NSPEC, nspec);
	build_option(&fix.dof, DTRACEOPT_SPECSIZE, specsize);
	fixture_clause("test:::a", NULL, add);
	fixture_clause("test:::get", NULL, get);
	fixture_clause("test:::commit", NULL, commit);
	fixture_clause("test:::discard", NULL, discard);
	fixture_go();
}

/* Return the result of speculation(). */
static uint64_t get_one(void)
{
	struct bytes out = {0};
	uint64_t id;
	unsigned int n = 0;

	fixture_fire(probe_get, 0);
	fixture_read(0, &out);
	while (build_record(&out, n) && build_record(&out, n)->dtrh_epid != 2)
		n++;
	id = fixture_u64(build_record(&out, n), 0);
	bytes_free(&out);
	return id;
}

static unsigned int count(unsigned int cpu)
{
	struct bytes out = {0};
	unsigned int n = 0;

	fixture_read(cpu, &out);
	for (; build_record(&out, n); n++) {
		assert_int_equal(build_record(&out, n)->dtrh_epid, 1);
		assert_int_equal(fixture_u64(build_record(&out, n), 0), cpu);
	}
	bytes_free(&out);
	return n;
}

static void committed_on_its_cpu(void **state)
{
	(void)state;
	go(1);
	assert_int_equal(get_one(), 1);
	fixture_fire(fix.a, 1);
	fixture_fire(fix.a, 1);
	assert_int_equal(count(0), 0);
	fixture_fire(probe_commit, 1);
	assert_int_equal(fix.state->specs[0].state, SPEC_INACTIVE);
	assert_int_equal(count(0), 2);
	fixture_fire(fix.a, 1); /* it is over */
	assert_int_equal(count(0), 0);
	assert_int_equal(get_one(), 1);
}

static void discarded(void **state)
{
	(void)state;
	go(1);
	assert_int_equal(get_one(), 1);
	fixture_fire(fix.a, 1);
	fixture_fire(probe_discard, 1);
	assert_int_equal(fix.state->specs[0].state, SPEC_INACTIVE);
	assert_int_equal(count(0), 0);
	assert_int_equal(get_one(), 1);
	fixture_fire(probe_commit, 1);
	assert_int_equal(count(0), 0);
}

static void committed_on_all_cpus(void **state)
{
	(void)state;
	go(2);
	assert_int_equal(get_one(), 1);
	for (unsigned int c = 0; c < 3; c++)
		fixture_fire_on(c, fix.a, 1);
	fixture_fire(probe_commit, 1);
	assert_int_equal(fix.state->specs[0].state, SPEC_COMMITTING);
	assert_int_equal(get_one(), 2); /* the first is not yet free; this has read CPU 0 */
	fixture_fire_on(1, fix.b, 0);
	assert_int_equal(count(1), 1);
	dtrace_state_clean(fix.state);
	assert_int_equal(fix.state->specs[0].state, SPEC_INACTIVE);
	assert_int_equal(count(1), 0);
	assert_int_equal(count(2), 1);
	assert_int_equal(get_one(), 1);
}

static void committed_from_another_cpu(void **state)
{
	(void)state;
	go(1);
	assert_int_equal(get_one(), 1);
	fixture_fire_on(2, fix.a, 1);
	fixture_fire(probe_commit, 1);
	assert_int_equal(fix.state->specs[0].state, SPEC_COMMITTING);
	/* the CPU does its part at its next firing, first of all */
	fixture_fire_on(2, probe_get, 0);
	assert_int_equal(fix.state->specs[0].cpus[2].off, 0);
	assert_int_equal(fixture_status().dtst_specdrops_busy, 1);
	assert_int_equal(fix.state->specs[0].state, SPEC_INACTIVE);
}

/* CPU 1 ended the speculation alone when its firing was interrupted for good. */
static void committed_after_an_interruption(void **state)
{
	(void)state;
	go(1);
	assert_int_equal(get_one(), 1);
	fixture_fire_on(1, fix.a, 1);
	fix.state->specs[0].state = SPEC_COMMITTING | 2 << 8;
	speculation_recover(fix.state, 0);
	dtrace_state_clean(fix.state);
	assert_int_equal(get_one(), 0);
	speculation_recover(fix.state, 1);
	dtrace_state_clean(fix.state);
	assert_int_equal(fix.state->specs[0].state, SPEC_INACTIVE);
	assert_int_equal(count(1), 1);
	assert_int_equal(get_one(), 1);
}

static void discarded_on_all_cpus(void **state)
{
	(void)state;
	go(1);
	assert_int_equal(get_one(), 1);
	for (unsigned int c = 0; c < 3; c++)
		fixture_fire_on(c, fix.a, 1);
	fixture_fire(probe_discard, 1);
	assert_int_equal(fix.state->specs[0].state, SPEC_DISCARDING);
	dtrace_state_clean(fix.state);
	assert_int_equal(get_one(), 1);
	for (unsigned int c = 0; c < 3; c++)
		assert_int_equal(count(c), 0);
}

static void none_left(void **state)
{
	(void)state;
	go(2);
	assert_int_equal(get_one(), 1);
	assert_int_equal(get_one(), 2);
	assert_int_equal(get_one(), 0);
	assert_int_equal(fixture_status().dtst_specdrops_unavail, 1);
	fixture_fire(probe_commit, 2); /* nothing in it: free at once */
	assert_int_equal(get_one(), 2);
}

/* A speculation to which another CPU adds does not wait to be cleaned. */
static void none_left_while_another_cpu_speculates(void **state)
{
	(void)state;
	go(1);
	assert_int_equal(get_one(), 1);
	fixture_fire_on(1, fix.a, 1);
	assert_int_equal(get_one(), 0);
	assert_int_equal(fixture_status().dtst_specdrops_unavail, 1);
	assert_int_equal(fixture_status().dtst_specdrops_busy, 0);
}

static void a_commit_that_fills_half_the_buffer_wakes(void **state)
{
	(void)state;
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 256);
	go(1);
	assert_int_equal(get_one(), 1);
	for (int i = 0; i < 6; i++)
		fixture_fire(fix.a, 1);
	assert_int_equal(port_user_world.wakes, 0);
	fixture_fire(probe_commit, 1);
	assert_int_equal(port_user_world.wakes, 1);
	assert_true(dtrace_state_readable(fix.state));
}

static void speculation_without_speculate(void **state)
{
	(void)state;
	probe_get = fixture_probe("f", "get");
	fixture_clause("test:::a", NULL, NULL);
	fixture_clause("test:::get", NULL, get);
	fixture_go();
	assert_int_equal(get_one(), 1);
	assert_int_equal(fixture_status().dtst_specdrops_unavail, 0);
	assert_int_equal(get_one(), 0);
	assert_int_equal(fixture_status().dtst_specdrops_unavail, 1);
}

/*
 * A clause that records nothing ends there as well, in a session that never asks for a speculation,
 * too.
 */
static void a_clause_without_records_ends(void **state)
{
	static const struct build_action quiet[] = {
		{.kind = DTRACEACT_SPECULATE, .difo = ID},
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "type void; var global n int; ldgs n, %r1; setx 1, %r2; add %r1, %r2, %r1;"
			 "stgs n, %r1; ret %r0"},
		ACT_END};
	static const struct build_action read[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "var global n int; ldgs n, %r1; ret %r1"},
		ACT_END};

	(void)state;
	for (int asks = 0; asks < 2; asks++) {
		dtrace_probe_t *last = fixture_probe("f", asks ? "last" : "first");
		struct bytes out = {0};

		fixture_session(DTRACE_PRIV_ALL, 0);
		build_option(&fix.dof, DTRACEOPT_NSPEC, 2);
		fixture_clause("test:::a", NULL, quiet);
		fixture_clause(asks ? "test:::last" : "test:::first", NULL, read);
		if (asks)
			fixture_clause("test:::b", NULL, get);
		fixture_go();
		fixture_fire(fix.a, 0);
		fixture_fire(fix.a, 1);
		fixture_fire(fix.a, 2);
		assert_int_equal(fixture_status().dtst_errors, 0);
		if (asks) {
			fixture_fire(fix.b, 0);
			fixture_fire(fix.a, 1);
		}
		fixture_fire(fix.a, 3);
		assert_int_equal(fixture_status().dtst_errors, 1);
		fixture_fire(last, 0);
		fixture_read(0, &out);
		assert_int_equal(fixture_u64(build_record(&out, asks ? 1 : 0), 0), asks);
		bytes_free(&out);
	}
}

static void numbers_that_are_none(void **state)
{
	(void)state;
	go(1);
	for (int i = 0; i < 3; i++) {
		uint64_t id = i == 0 ? 0 : i == 1 ? 2 : UINT64_MAX;

		fixture_fire(fix.a, id);
		fixture_fire(probe_commit, id);
		fixture_fire(probe_discard, id);
	}
	fixture_fire(fix.a, 1); /* not active */
	fixture_fire(probe_commit, 1);
	assert_int_equal(count(0), 0);
	assert_int_equal(fixture_status().dtst_specdrops, 0);
	assert_int_equal(fixture_status().dtst_errors, 6);
}

static void a_full_speculation_drops_and_counts(void **state)
{
	(void)state;
	go(1);
	assert_int_equal(get_one(), 1);
	for (int i = 0; i < 15; i++)
		fixture_fire(fix.a, 1);
	assert_int_equal(fixture_status().dtst_specdrops, 5);
	fixture_fire(probe_commit, 1);
	assert_int_equal(count(0), 10);
}

static void no_room_in_the_principal_buffer(void **state)
{
	(void)state;
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 256);
	go(1);
	assert_int_equal(get_one(), 1);
	for (int i = 0; i < 8; i++)
		fixture_fire(fix.a, 1);
	for (int i = 0; i < 5; i++)
		fixture_fire(probe_get, 0);
	fixture_fire(probe_commit, 1);
	assert_int_equal(fixture_status().dtst_principaldrops, 3);
}

static void the_default_action_can_be_speculated(void **state)
{
	static const struct build_action only[] = {{.kind = DTRACEACT_SPECULATE, .difo = ID},
						   ACT_END};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::b", NULL, only);
	go(1);
	assert_non_null(fix.state->specs);
	fixture_fire(fix.b, 1);
	fixture_fire(probe_get, 0);
	fixture_fire(fix.b, 1);
	fixture_fire(probe_commit, 1);
	fixture_read(0, &out);
	assert_int_equal(build_record(&out, 0)->dtrh_epid, 3);
	assert_int_equal(build_record(&out, 1)->dtrh_epid, 1);
	assert_int_equal(build_record(&out, 1)->dtrh_size, 16);
	assert_null(build_record(&out, 2));
	bytes_free(&out);
}

static void stop_commits_what_waits(void **state)
{
	(void)state;
	go(1);
	assert_int_equal(get_one(), 1);
	fixture_fire_on(3, fix.a, 1);
	fixture_fire(probe_commit, 1);
	fixture_stop();
	assert_int_equal(count(3), 1);
}

static void *speculate_at_random(void *arg)
{
	unsigned int cpu = (unsigned int)(uintptr_t)arg, seed = cpu * 77 + 1;

	port_user_set_cpu(cpu);
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1103515245 + 12345;
		switch (seed >> 16 & 7) {
		case 0:
			fixture_fire(probe_get, 0);
			break;
		case 1:
			fixture_fire(seed >> 20 & 1 ? probe_commit : probe_discard,
				     1 + (seed >> 24) % 3);
			break;
		default:
			fixture_fire(fix.a, 1 + (seed >> 24) % 3);
			break;
		}
	}
	return NULL;
}

/* Whatever CPUs do at the same time, records stay whole and no speculation is left waiting. */
static void all_cpus_at_once(void **state)
{
	pthread_t threads[FIXTURE_CPUS];
	struct bytes out = {0};

	(void)state;
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 16384);
	go(3);
	for (uintptr_t c = 0; c < FIXTURE_CPUS; c++)
		assert_int_equal(pthread_create(&threads[c], NULL, speculate_at_random, (void *)c),
				 0);
	for (int i = 0; i < 300; i++) {
		dtrace_state_clean(fix.state);
		fixture_read((unsigned int)i % FIXTURE_CPUS, &out);
		for (unsigned int n = 0; build_record(&out, n); n++) {
			assert_in_range(build_record(&out, n)->dtrh_epid, 1, 2);
			assert_int_equal(build_record(&out, n)->dtrh_size, 24);
		}
		out.n = 0;
	}
	for (unsigned int c = 0; c < FIXTURE_CPUS; c++)
		pthread_join(threads[c], NULL);
	fixture_stop();
	for (unsigned int i = 0; i < 3; i++)
		assert_true((fix.state->specs[i].state & 0xff) < SPEC_COMMITTING);
	bytes_free(&out);
}

/* ---- large ones, a block at a time ---- */

#define LARGE	 (1U << 20)
#define RECORD	 24U
#define NRECORDS (LARGE / RECORD)

/* As count(), of many: each record is looked at once. */
static unsigned int count_many(unsigned int cpu)
{
	struct bytes out = {0};
	unsigned int n;

	fixture_read(cpu, &out);
	for (n = 0; n * RECORD < out.n; n++) {
		const dtrace_rechdr_t *h = (const void *)(out.p + n * RECORD);

		assert_int_equal(h->dtrh_epid, 1);
		assert_int_equal(h->dtrh_size, RECORD);
		assert_int_equal(fixture_u64(h, 0), cpu);
	}
	bytes_free(&out);
	return n;
}

/* A speculation that is full on CPU 1, and has a record on CPU 0. */
static void go_large(void)
{
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 2 * LARGE);
	specsize = LARGE;
	go(1);
	specsize = 256;
	assert_int_equal(get_one(), 1);
	for (unsigned int i = 0; i < NRECORDS; i++)
		fixture_fire_on(1, fix.a, 1);
	fixture_fire_on(0, fix.a, 1);
}

static uint32_t moved_of(unsigned int cpu)
{
	const struct spec_cpu *sc = &fix.state->specs[0].cpus[cpu];

	return sc->off ? sc->from : LARGE;
}

/* Between two calls on a CPU; the most that was moved from one time to the next. */
struct pieces {
	uint32_t moved, most;
	unsigned int calls;
	bool kill;
};

static int note_piece(void *arg)
{
	struct pieces *p = arg;
	uint32_t now = moved_of(1);

	if (now - p->moved > p->most)
		p->most = now - p->moved;
	p->moved = now;
	p->calls++;
	return p->kill ? -EINTR : 0;
}

/* The records that a firing moves are bounded, and charged to the session. */
static void firings_move_a_piece_each(void **state)
{
	uint32_t before = 0;
	unsigned int n = 0;

	(void)state;
	go_large();
	fixture_fire_on(0, probe_commit, 1);
	for (; moved_of(1) < LARGE; n++) {
		before = moved_of(1);
		fixture_fire_on(1, probe_discard, 0);
		assert_in_range(moved_of(1) - before, 1,
				4 * SPEC_CLEAN_FIRING + LARGE % RECORD + RECORD);
		if (moved_of(1) < LARGE)
			assert_true(fix.state->cpus[1].work <
				    DTRACE_WORK_SLICE - (int64_t)(moved_of(1) - before) / 4);
	}
	assert_in_range(n, 8, LARGE / RECORD);
	dtrace_state_clean(fix.state);
	assert_int_equal(fix.state->specs[0].state, SPEC_INACTIVE);
	assert_int_equal(count_many(1), NRECORDS);
	assert_int_equal(count_many(0), 1);
}

/* The records that one call on another CPU moves are bounded too. */
static void cleaning_moves_a_piece_a_call(void **state)
{
	struct pieces p = {0};

	(void)state;
	go_large();
	fixture_fire_on(0, probe_commit, 1);
	port_user_relax(note_piece, &p);
	dtrace_state_clean(fix.state);
	port_user_relax(NULL, NULL);
	assert_in_range(p.calls, 8, LARGE / RECORD);
	assert_in_range(p.most, 1, 4 * SPEC_CLEAN_CALL + RECORD);
	assert_int_equal(fix.state->specs[0].state, SPEC_INACTIVE);
	assert_int_equal(count_many(1), NRECORDS);
}

/*
 * A snapshot has all records that were committed before it. A reader that is killed meanwhile loses
 * nothing.
 */
static void snapshots_move_a_piece_a_call(void **state)
{
	struct pieces p = {.kill = true};
	dtrace_bufdesc_t desc;
	struct bytes out = {0};
	dtrace_go_t end;

	(void)state;
	go_large();
	fixture_fire_on(0, probe_commit, 1);
	port_user_relax(note_piece, &p);
	assert_int_equal(build_snapshot(fix.state, false, 1, &out, &desc), -EINTR);
	assert_int_equal(p.calls, 1);
	assert_int_equal(dtrace_state_stop(fix.state, &end), -EINTR);
	p.kill = false;
	assert_int_equal(count_many(1), NRECORDS);
	port_user_relax(NULL, NULL);
	assert_in_range(p.most, 1, 4 * SPEC_CLEAN_CALL + RECORD);
	assert_int_equal(dtrace_state_stop(fix.state, &end), 0);
	assert_int_equal(fix.state->specs[0].state, SPEC_INACTIVE);
	bytes_free(&out);
}

/* A commit() of more than a session may do in one firing is no fault. */
static void a_large_commit_on_its_own_cpu(void **state)
{
	(void)state;
	port_user_world.uid = 1000;
	port_user_world.timestamp = 1000000000; /* calls take no more than their minimum */
	fixture_session(DTRACE_PRIV_PROC | DTRACE_PRIV_USER, 1000);
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 16 * LARGE);
	specsize = 4 * LARGE;
	go(1);
	specsize = 256;
	assert_int_equal(get_one(), 1);
	for (unsigned int i = 0; i < 4 * NRECORDS; i++)
		fixture_fire_on(1, fix.a, 1);
	fixture_fire_on(1, probe_commit, 1);
	assert_int_equal(fixture_status().dtst_errors, 0);
	assert_int_equal(fix.state->specs[0].state, SPEC_INACTIVE); /* STATUS has cleaned */
	assert_int_equal(count_many(1), 4 * NRECORDS);
	port_user_world.timestamp = 0;
}

#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(committed_on_its_cpu),
		T(discarded),
		T(committed_on_all_cpus),
		T(committed_from_another_cpu),
		T(committed_after_an_interruption),
		T(discarded_on_all_cpus),
		T(none_left),
		T(none_left_while_another_cpu_speculates),
		T(a_commit_that_fills_half_the_buffer_wakes),
		T(speculation_without_speculate),
		T(numbers_that_are_none),
		T(a_clause_without_records_ends),
		T(a_full_speculation_drops_and_counts),
		T(no_room_in_the_principal_buffer),
		T(the_default_action_can_be_speculated),
		T(stop_commits_what_waits),
		T(all_cpus_at_once),
		T(firings_move_a_piece_each),
		T(cleaning_moves_a_piece_a_call),
		T(snapshots_move_a_piece_a_call),
		T(a_large_commit_on_its_own_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
