/* SPDX-License-Identifier: MIT */
/*
 * engine_session.c - sessions: their states, clauses, actions, faults, buffers by policy,
 * privileges, and what is refused.
 */
#include "core.h"
#include "engine_fixture.h"
#include "state.h"
#include <pthread.h>
#include <time.h>

static const struct build_action record_arg0[] = {ACT_ARG0, ACT_END};
static const struct build_action exit_7[] = {
	{.kind = DTRACEACT_EXIT, .difo = "setx 7, %r1; ret %r1"}, ACT_END};

/* ---- states ---- */

static void begin_to_end(void **state)
{
	struct bytes out = {0};
	const dtrace_rechdr_t *h;
	dtrace_go_t go;

	(void)state;
	assert_int_equal(dtrace_state_stop(fix.state, &go), -EINVAL);
	assert_int_equal(build_snapshot(fix.state, false, 0, &out, NULL), -EINVAL);
	fixture_clause("dtrace:::BEGIN", NULL, NULL);
	fixture_clause("dtrace:::END", NULL, NULL);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	assert_int_equal(dtrace_state_go(fix.state, &go), -EBUSY);
	assert_int_equal(fixture_enable(NULL, NULL), -EBUSY);
	assert_int_equal(fixture_status().dtst_active, DTRACE_ACTIVITY_ACTIVE);
	fixture_fire(fix.a, 17);
	fixture_stop();
	fixture_fire(fix.a, 18);
	assert_int_equal(dtrace_state_stop(fix.state, &go), -EBUSY);
	assert_int_equal(fixture_status().dtst_active, DTRACE_ACTIVITY_STOPPED);
	fixture_read(0, &out);
	h = build_record(&out, 0);
	assert_int_equal(h->dtrh_epid, 1);
	assert_int_equal(h->dtrh_size, sizeof(*h));
	h = build_record(&out, 1);
	assert_int_equal(h->dtrh_epid, 3);
	assert_int_equal(fixture_u64(h, 0), 17);
	assert_true(h->dtrh_timestamp >= build_record(&out, 0)->dtrh_timestamp);
	assert_int_equal(build_record(&out, 2)->dtrh_epid, 2);
	assert_null(build_record(&out, 3));
	bytes_free(&out);
}

static void two_sessions_on_a_probe(void **state)
{
	dtrace_state_t *first = fix.state;
	struct bytes out = {0};
	dtrace_go_t go;

	(void)state;
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_clause("dtrace:::BEGIN", NULL, record_arg0);
	fixture_go();
	fix.state = NULL;
	fixture_session(DTRACE_PRIV_ALL, 0);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_clause("dtrace:::BEGIN", NULL, record_arg0);
	fixture_go();
	fixture_fire(fix.a, 3);
	assert_int_equal(dtrace_state_stop(first, &go), 0);
	fixture_fire(fix.a, 4);
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 1), 0), 3);
	assert_int_equal(fixture_u64(build_record(&out, 2), 0), 4);
	assert_null(build_record(&out, 3));
	out.n = 0;
	assert_int_equal(build_snapshot(first, false, 0, &out, NULL), 0);
	assert_int_equal(fixture_u64(build_record(&out, 1), 0), 3);
	assert_null(build_record(&out, 2));
	dtrace_state_destroy(first);
	bytes_free(&out);
}

static void exit_ends_recording_but_for_end(void **state)
{
	struct bytes out = {0};
	int32_t status;

	(void)state;
	fixture_clause("test:::a", NULL, exit_7);
	fixture_clause("test:::b", NULL, record_arg0);
	fixture_clause("dtrace:::END", NULL, NULL);
	fixture_go();
	assert_false(dtrace_state_readable(fix.state));
	fixture_fire(fix.b, 1);
	fixture_fire(fix.a, 1);
	fixture_fire(fix.a, 1);
	fixture_fire(fix.b, 2);
	assert_int_equal(port_user_world.wakes, 1);
	assert_true(dtrace_state_readable(fix.state));
	assert_int_equal(fixture_status().dtst_active, DTRACE_ACTIVITY_DRAINING);
	assert_int_equal(fixture_status().dtst_exiting, 1);
	fixture_stop();
	assert_int_equal(fixture_status().dtst_exiting, 1);
	fixture_read(0, &out);
	memcpy(&status, build_record(&out, 1) + 1, sizeof(status));
	assert_int_equal(status, 7);
	assert_int_equal(build_record(&out, 2)->dtrh_epid, 3);
	assert_null(build_record(&out, 3));
	bytes_free(&out);
}

static void exit_in_begin(void **state)
{
	struct bytes out = {0};

	(void)state;
	fixture_clause("dtrace:::BEGIN", NULL, exit_7);
	fixture_clause("dtrace:::BEGIN", NULL, record_arg0);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	fixture_fire(fix.a, 1);
	assert_int_equal(fixture_status().dtst_active, DTRACE_ACTIVITY_DRAINING);
	fixture_stop();
	fixture_read(0, &out);
	assert_non_null(build_record(&out, 0));
	assert_null(build_record(&out, 1));
	bytes_free(&out);
}

/*
 * Another engine leads the session: BEGIN and END fire there, ERROR here, and the deadman is not
 * asked.
 */
static void joined_sessions_have_neither_begin_nor_end(void **state)
{
	static const struct build_action fault[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "setx 8, %r1; ldx %r1, %r1; ret %r1"}, ACT_END};
	struct bytes out = {0};
	dtrace_go_t go;

	(void)state;
	build_option(&fix.dof, DTRACEOPT_BUFPOLICY, DTRACEOPT_BUFPOLICY_FILL);
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 4 * sizeof(dtrace_rechdr_t));
	fixture_clause("dtrace:::BEGIN", NULL, NULL);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_clause("test:::b", NULL, fault);
	fixture_clause("dtrace:::ERROR", NULL, NULL);
	fixture_clause("dtrace:::END", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	port_user_world.timestamp = 1000000000;
	assert_int_equal(dtrace_state_join(fix.state), 0);
	assert_int_equal(dtrace_state_join(fix.state), -EBUSY);
	assert_int_equal(dtrace_state_go(fix.state, &go), -EBUSY);
	assert_int_equal(fixture_status().dtst_active, DTRACE_ACTIVITY_ACTIVE);
	port_user_world.timestamp += 10 * DTRACE_DEADMAN_USER + 10 * DTRACE_DEADMAN_TIMEOUT;
	dtrace_state_deadman(fix.state);
	fixture_fire(fix.a, 17);
	fixture_fire(fix.b, 18);
	fixture_fire(fix.a, 19);
	fixture_fire(fix.a, 20); /* up to the last byte: END needs none */
	port_user_world.timestamp += 10 * DTRACE_DEADMAN_TIMEOUT;
	assert_int_equal(dtrace_state_stop(fix.state, NULL), 0);
	assert_int_equal(fixture_status().dtst_active, DTRACE_ACTIVITY_STOPPED);
	assert_int_equal(fixture_status().dtst_errors, 1);
	assert_int_equal(fixture_status().dtst_principaldrops, 1);
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 17);
	assert_int_equal(build_record(&out, 1)->dtrh_epid, 4);
	assert_int_equal(fixture_u64(build_record(&out, 2), 0), 19);
	assert_null(build_record(&out, 3));
	bytes_free(&out);
}

/* An engine with several CPUs for each of the machine's. */
static void cpus_have_the_numbers_of_the_machine(void **state)
{
	static const struct build_action cpu[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs cpu, %r1; ret %r1"}, ACT_END};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, cpu);
	fixture_go();
	port_user_slots(2);
	for (unsigned int i = 0; i < FIXTURE_CPUS; i++) {
		out.n = 0;
		fixture_fire_on(i, fix.a, 0);
		fixture_read(i, &out);
		assert_int_equal(fixture_u64(build_record(&out, 0), 0), i / 2);
	}
	bytes_free(&out);
}

/* ---- clauses ---- */

static void clauses_in_order_with_predicates(void **state)
{
	static const char is5[] = "ldgs arg0, %r1; setx 5, %r2; sub %r1, %r2, %r1; tst %r1; bne "
				  "no; ret %r2; no:; ret %r0";
	struct bytes out = {0};
	dtrace_eprobedesc_t ep = {.dtepd_epid = 2};
	dtrace_enable_io_t io;
	dtrace_go_t go;

	(void)state;
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_clause("test:::a", is5, record_arg0);
	fixture_clause("test:::", NULL, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_desc, 3);
	assert_int_equal(io.n_matched, 4);
	assert_int_equal(dtrace_state_go(fix.state, &go), 0);
	fixture_fire(fix.a, 4);
	fixture_fire(fix.a, 5);
	fixture_read(0, &out);
	assert_int_equal(build_record(&out, 0)->dtrh_epid, 1);
	assert_int_equal(build_record(&out, 1)->dtrh_epid, 3);
	assert_int_equal(build_record(&out, 2)->dtrh_epid, 1);
	assert_int_equal(build_record(&out, 3)->dtrh_epid, 2);
	assert_int_equal(build_record(&out, 4)->dtrh_epid, 3);
	assert_null(build_record(&out, 5));
	assert_int_equal(dtrace_state_eprobe(fix.state, &ep, NULL, 0), 0);
	assert_int_equal(ep.dtepd_nrecs, 1);
	assert_int_equal(ep.dtepd_probeid, dtrace_probe_id(fix.a));
	ep.dtepd_epid = 99;
	assert_int_equal(dtrace_state_eprobe(fix.state, &ep, NULL, 0), -ESRCH);
	bytes_free(&out);
}

#define PUSH(what) "pushtv ctf, %r0, " what "; "
#define WORDS(string, delimiters)                                                               \
	{                                                                                       \
		{.kind = DTRACEACT_DIFEXPR,                                                     \
		 .difo = "type string; " string "sets \"" delimiters "\", %r2; flushts; " PUSH( \
			 "%r1") PUSH("%r2") "call strtok, %r3; ret %r3"},                       \
			ACT_END                                                                 \
	}

/* The session's other clauses can use the rest of strtok() in this firing, later firings cannot. */
static void words_across_clauses(void **state)
{
	static const struct build_action first[] = WORDS("sets \"a,b,c\", %r1; ", ",");
	static const struct build_action next[] = WORDS("mov %r0, %r1; ", ",");
	static const char *const words[] = {"a", "b"};
	dtrace_state_t *other = fix.state;
	struct bytes out = {0};
	unsigned int n = 0;

	(void)state;
	fixture_clause("test:::a", NULL, first);
	fixture_go();
	fix.state = NULL;
	fixture_session(DTRACE_PRIV_ALL, 0);
	fixture_clause("test:::b", NULL, next); /* nothing is left of a firing before */
	fixture_clause("test:::a", NULL, first);
	fixture_clause("test:::a", NULL, next);
	fixture_clause("dtrace:::ERROR", NULL, next); /* a firing of its own */
	fixture_clause("test:::a", NULL,
		       (struct build_action[]){{.kind = DTRACEACT_DIFEXPR,
						.difo = "setx 8, %r1; ldx %r1, %r1; ret %r1"},
					       ACT_END});
	fixture_go();
	fixture_fire(fix.a, 0);
	fixture_fire(fix.b, 0);
	fixture_read(0, &out);
	for (; n < 2 && build_record(&out, n); n++)
		assert_string_equal((const char *)(build_record(&out, n) + 1), words[n]);
	assert_int_equal(n, 2);
	assert_null(build_record(&out, n));
	/* the last clause on a and the one on b; there is no word for ERROR either time */
	assert_int_equal(fixture_status().dtst_errors, 2);
	assert_int_equal(fixture_status().dtst_dblerrors, 2);
	dtrace_state_destroy(other);
	bytes_free(&out);
}

static void a_clause_by_probe_number(void **state)
{
	dof_probedesc_t pd = {.dofp_id = dtrace_probe_id(fix.b)};
	dof_ecbdesc_t ed = {.dofe_pred = DOF_SECIDX_NONE, .dofe_actions = DOF_SECIDX_NONE};
	dtrace_enable_io_t io;

	(void)state;
	pd.dofp_strtab = build_section(&fix.dof, DOF_SECT_STRTAB, 1, 0, "", 1);
	ed.dofe_probes = build_section(&fix.dof, DOF_SECT_PROBEDESC, 4, 0, &pd, sizeof(pd));
	build_section(&fix.dof, DOF_SECT_ECBDESC, 8, 0, &ed, sizeof(ed));
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, 1);
	assert_true(dtrace_probe_enabled(fix.b));
}

static void void_expressions_record_nothing(void **state)
{
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "type void; ret %r0"}, ACT_END};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	fixture_fire(fix.a, 1);
	fixture_read(0, &out);
	assert_int_equal(out.n, 0);
	bytes_free(&out);
}

/* ---- actions ---- */

static void records_of_all_kinds(void **state)
{
	static const uint64_t pcs[] = {0x11, 0x22, 0x33};
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_PRINTF, .uarg = 9},
		{.kind = DTRACEACT_PRINTF,
		 .difo = "type int(1); ldgs arg0, %r1; ret %r1",
		 .uarg = 9},
		{.kind = DTRACEACT_PRINTF,
		 .difo = "type string(12); sets \"text\", %r1; ret %r1",
		 .uarg = 9},
		{.kind = DTRACEACT_DIFEXPR, .difo = "type int(2); ldgs arg0, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "type int(4); ldgs arg0, %r1; ret %r1"},
		{.kind = DTRACEACT_STACK, .arg = 2},
		{.kind = DTRACEACT_USTACK, .arg = DTRACE_USTACK_ARG(4, 0)},
		{.kind = DTRACEACT_SYM, .difo = "ldgs arg0, %r1; ret %r1"},
		{.kind = DTRACEACT_UADDR, .difo = "ldgs arg0, %r1; ret %r1"},
		{.kind = DTRACEACT_TRACEMEM, .arg = 4, .difo = "sets \"abcdef\", %r1; ret %r1"},
		{.kind = DTRACEACT_LIBACT},
		ACT_END};
	static const uint32_t sizes[] = {0, 1, 12, 2, 4, 16, 40, 8, 16, 4, 0};
	dtrace_recdesc_t recs[16];
	dtrace_eprobedesc_t ep = {.dtepd_epid = 1};
	struct bytes out = {0};
	const uint8_t *rec;

	(void)state;
	port_user_world.pcs = pcs;
	port_user_world.npcs = 3;
	port_user_world.pid = 77;
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	fixture_fire(fix.a, 0x1122334455667788);
	fixture_read(0, &out);
	assert_int_equal(dtrace_state_eprobe(fix.state, &ep, recs, 5), 0);
	assert_int_equal(ep.dtepd_nrecs, 11);
	assert_int_equal(dtrace_state_eprobe(fix.state, &ep, recs, 16), 0);
	rec = (const uint8_t *)build_record(&out, 0);
	assert_int_equal(ep.dtepd_size, build_record(&out, 0)->dtrh_size);
	for (unsigned int i = 0; i < 11; i++) {
		assert_int_equal(recs[i].dtrd_size, sizes[i]);
		assert_int_equal(recs[i].dtrd_offset % recs[i].dtrd_alignment, 0);
		assert_true(recs[i].dtrd_offset + recs[i].dtrd_size <= ep.dtepd_size);
	}
	assert_int_equal(recs[1].dtrd_uarg, 9);
	assert_int_equal(rec[recs[1].dtrd_offset], 0x88);
	assert_string_equal((const char *)rec + recs[2].dtrd_offset, "text");
	assert_memory_equal(rec + recs[3].dtrd_offset, "\x88\x77", 2);
	assert_memory_equal(rec + recs[4].dtrd_offset, "\x88\x77\x66\x55", 4);
	assert_memory_equal(rec + recs[5].dtrd_offset, pcs, 16);
	assert_int_equal(*(const uint64_t *)(rec + recs[6].dtrd_offset), 77);
	assert_memory_equal(rec + recs[6].dtrd_offset + 8, pcs, 24);
	assert_int_equal(*(const uint64_t *)(rec + recs[6].dtrd_offset + 32), 0);
	assert_int_equal(*(const uint64_t *)(rec + recs[8].dtrd_offset), 77);
	assert_int_equal(*(const uint64_t *)(rec + recs[8].dtrd_offset + 8), 0x1122334455667788);
	assert_memory_equal(rec + recs[9].dtrd_offset, "abcd", 4);
	bytes_free(&out);
}

static void destructive_actions(void **state)
{
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_STOP},
		{.kind = DTRACEACT_RAISE, .difo = "ldgs arg0, %r1; ret %r1"},
		{.kind = DTRACEACT_BREAKPOINT},
		{.kind = DTRACEACT_PANIC},
		ACT_END};
	static const struct build_action chill[] = {
		{.kind = DTRACEACT_CHILL, .difo = "ldgs arg0, %r1; ret %r1"}, ACT_END};
	char msg[256];

	(void)state;
	fixture_clause("test:::a", NULL, acts);
	assert_int_equal(fixture_enable(NULL, msg), -EPERM);
	assert_non_null(strstr(msg, "-w"));
	build_option(&fix.dof, DTRACEOPT_DESTRUCTIVE, 1);
	fixture_clause("test:::a", NULL, acts);
	fixture_clause("test:::b", NULL, chill);
	fixture_go();
	fixture_fire(fix.a, 12);
	assert_int_equal(port_user_world.stops, 1);
	assert_int_equal(port_user_world.raised, 12);
	assert_int_equal(port_user_world.breakpoints, 1);
	assert_int_equal(port_user_world.panics, 1);
	fixture_fire(fix.a, 65);
	assert_int_equal(fixture_status().dtst_errors, 1);
	port_user_world.timestamp = 1;
	fixture_fire(fix.b, 400000000);
	assert_int_equal(port_user_world.delayed, 400000000);
	fixture_fire(fix.b, 200000000);
	assert_int_equal(port_user_world.delayed, 400000000);
	assert_int_equal(fixture_status().dtst_errors, 2);
	port_user_world.timestamp = 1100000000;
	fixture_fire(fix.b, 200000000);
	assert_int_equal(port_user_world.delayed, 600000000);
	fixture_fire(fix.b, 600000000);
	assert_int_equal(fixture_status().dtst_errors, 3);
}

static void lockdown_is_honoured(void **state)
{
	static const struct build_action panic[] = {{.kind = DTRACEACT_PANIC}, ACT_END};
	static const struct build_action stop[] = {{.kind = DTRACEACT_STOP}, ACT_END};
	static const struct build_action stack[] = {{.kind = DTRACEACT_STACK, .arg = 4}, ACT_END};
	static const struct build_action copyout[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "flushts; pushtv ctf, %r0, %r0; pushtv ctf, %r0, %r0; pushtv ctf, %r0, %r0; "
			 "call copyout, %r1; ret %r1"},
		ACT_END};
	static const struct {
		const struct build_action *acts;
		unsigned int allowed; /* the highest level at which it is */
		const char *why;
	} cases[] = {
		{panic, 0, "(integrity)"},
		{copyout, 0, "(integrity)"},
		{stack, 1, "(confidentiality)"},
		{stop, 2, ""},
	};
	char msg[256];

	(void)state;
	for (unsigned int level = 0; level < 3; level++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			port_user_world.lockdown = 0;
			fixture_session(DTRACE_PRIV_ALL, 0);
			port_user_world.lockdown = level; /* it comes while there is a session */
			build_option(&fix.dof, DTRACEOPT_DESTRUCTIVE, 1);
			fixture_clause("test:::a", NULL, cases[i].acts);
			assert_int_equal(fixture_enable(NULL, msg),
					 level > cases[i].allowed ? -EPERM : 0);
			if (level > cases[i].allowed)
				assert_non_null(strstr(msg, cases[i].why));
		}
	}
	port_user_world.lockdown = 0;
}

/* ---- faults ---- */

static void error_is_told_what_happened(void **state)
{
	static const struct build_action bad[] = {
		ACT_ARG0,
		{.kind = DTRACEACT_DIFEXPR, .difo = "nop; setx 0x18, %r1; ldub %r1, %r1; ret %r1"},
		ACT_END};
	static const struct build_action tell[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg1, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg2, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg3, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg4, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg5, %r1; ret %r1"},
		ACT_END};
	struct bytes out = {0};
	const dtrace_rechdr_t *h;

	(void)state;
	fixture_clause("test:::a", NULL, bad);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_clause("dtrace:::ERROR", NULL, tell);
	fixture_go();
	fixture_fire(fix.a, 8);
	assert_int_equal(fixture_read(0, &out).dtbd_errors, 1);
	h = build_record(&out, 0);
	assert_int_equal(h->dtrh_epid, 3);
	assert_int_equal(fixture_u64(h, 0), 1);
	assert_int_equal(fixture_u64(h, 8), 2);
	assert_int_equal(fixture_u64(h, 16), 8);
	assert_int_equal(fixture_u64(h, 24), DTRACEFLT_BADADDR);
	assert_int_equal(fixture_u64(h, 32), 0x18);
	h = build_record(&out, 1); /* the clauses after it run */
	assert_int_equal(h->dtrh_epid, 2);
	assert_int_equal(fixture_u64(h, 0), 8);
	assert_null(build_record(&out, 2));
	assert_int_equal(fixture_read(0, &out).dtbd_errors, 0);
	bytes_free(&out);
}

static void a_fault_in_a_predicate_is_in_action_0(void **state)
{
	static const struct build_action tell[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg2, %r1; ret %r1"}, ACT_END};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", "udiv %r0, %r0, %r1; ret %r1", record_arg0);
	fixture_clause("dtrace:::ERROR", NULL, tell);
	fixture_go();
	fixture_fire(fix.a, 8);
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 0);
	assert_null(build_record(&out, 1));
	bytes_free(&out);
}

static void a_fault_in_error_is_a_double_error(void **state)
{
	static const struct build_action bad[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "udiv %r0, %r0, %r1; ret %r1"}, ACT_END};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, bad);
	fixture_clause("dtrace:::ERROR", NULL, bad);
	fixture_go();
	fixture_fire(fix.a, 8);
	fixture_read(0, &out);
	assert_int_equal(out.n, 0);
	assert_int_equal(fixture_status().dtst_errors, 1);
	assert_int_equal(fixture_status().dtst_dblerrors, 1);
	bytes_free(&out);
}

static void a_probe_within_a_probe_is_counted(void **state)
{
	static const struct build_action ask[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg9, %r1; ret %r1"}, ACT_END};
	struct bytes out = {0};

	(void)state;
	fix.fire_within = fix.b;
	fix.argval = 123;
	fixture_clause("test:::a", NULL, ask);
	fixture_clause("test:::b", NULL, record_arg0);
	fixture_clause("test:::b", NULL, record_arg0);
	fixture_go();
	fixture_fire(fix.a, 8);
	fix.fire_within = NULL;
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 123);
	assert_null(build_record(&out, 1));
	assert_int_equal(fixture_status().dtst_reentries, 1);
	fixture_fire(fix.b, 8);
	fixture_read(0, &out);
	assert_non_null(build_record(&out, 2));
	bytes_free(&out);
}

/* A firing for the sessions of this CPU only is lost to no other session. */
static void a_bound_probe_within_a_probe_is_not_counted_for_others(void **state)
{
	static const struct build_action ask[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg9, %r1; ret %r1"}, ACT_END};

	(void)state;
	fix.fire_within = fix.b;
	fix.within_bound = true;
	fixture_clause("test:::a", NULL, ask);
	fixture_clause("test:::b", NULL, record_arg0);
	fixture_go();
	fixture_fire(fix.a, 8);
	fix.fire_within = NULL;
	fix.within_bound = false;
	assert_int_equal(fixture_status().dtst_reentries, 0);
}

/* ---- privileges ---- */

static void others_processes_are_not_seen(void **state)
{
	struct bytes out = {0};

	(void)state;
	fixture_session(DTRACE_PRIV_PROC, 1000);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_clause("dtrace:::BEGIN", NULL, NULL);
	port_user_world.uid = 1001;
	fixture_go();
	fixture_fire(fix.a, 1);
	port_user_world.uid = 1000;
	fixture_fire(fix.a, 2);
	port_user_world.setid = true;
	fixture_fire(fix.a, 3);
	fixture_read(0, &out);
	assert_int_equal(build_record(&out, 0)->dtrh_epid, 2);
	assert_int_equal(fixture_u64(build_record(&out, 1), 0), 2);
	assert_null(build_record(&out, 2));
	bytes_free(&out);
}

/* BEGIN may fire while its CPU is in anybody's process. */
static void others_processes_are_not_touched(void **state)
{
	static const struct build_action acts[][2] = {
		{{.kind = DTRACEACT_STOP}, ACT_END},
		{{.kind = DTRACEACT_RAISE, .difo = "setx 9, %r1; ret %r1"}, ACT_END},
		{{.kind = DTRACEACT_USTACK}, ACT_END},
		{{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs ucaller, %r1; ret %r1"}, ACT_END},
		{{.kind = DTRACEACT_DIFEXPR, .difo = "setx there, %r1; uldx %r1, %r1; ret %r1"},
		 ACT_END},
	};
	static uint64_t there;
	struct build_name name = {"there", (uintptr_t)&there};
	uint32_t n = sizeof(acts) / sizeof(acts[0]);

	(void)state;
	for (uint32_t own = 0; own < 2; own++) {
		fixture_session(DTRACE_PRIV_PROC, 1000);
		port_user_world.uid = own ? 1000 : 1001;
		fix.dof.names = &name;
		fix.dof.nnames = 1;
		build_option(&fix.dof, DTRACEOPT_DESTRUCTIVE, 1);
		for (uint32_t i = 0; i < n; i++)
			fixture_clause("dtrace:::BEGIN", NULL, acts[i]);
		fixture_go();
		assert_int_equal(fixture_status().dtst_errors, own ? 0 : n);
		assert_int_equal(port_user_world.stops, own);
		assert_int_equal(port_user_world.raised, own ? 9 : 0);
	}
}

/* A word of scratch that was not written since it was allocated. */
static void scratch_of_others_is_not_seen(void **state)
{
	static const struct build_action fill[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "setx 32, %r1; allocs %r1, %r2; setx 24, %r1; add %r1, %r2, %r2; "
			 "setx 0x5ec7e7, %r1; stx %r1, %r2; ret %r1"},
		ACT_END};
	static const struct build_action look[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "ldgs execname, %r1; setx 24, %r2; add %r1, %r2, %r1; ldx %r1, %r1; "
			 "ret %r1"},
		ACT_END};
	struct bytes out = {0};

	(void)state;
	port_user_world.uid = 1000;
	port_user_world.execname = "x";
	fixture_clause("test:::a", NULL, fill);
	fixture_go();
	fixture_fire(fix.a, 0);
	fixture_session(DTRACE_PRIV_PROC, 1000);
	fixture_clause("test:::a", NULL, look);
	fixture_go();
	fixture_fire(fix.a, 0);
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 0);
	bytes_free(&out);
}

static void the_kernel_is_not_shown(void **state)
{
	static const struct build_action stack[] = {{.kind = DTRACEACT_STACK}, ACT_END};
	char msg[256];

	(void)state;
	fixture_session(DTRACE_PRIV_PROC, 1000);
	fixture_clause("test:::a", NULL, stack);
	assert_int_equal(fixture_enable(NULL, msg), -EPERM);
	assert_non_null(strstr(msg, "privilege"));
}

/* ---- buffers ---- */

static void a_full_buffer_drops_and_counts(void **state)
{
	struct bytes out = {0};
	dtrace_bufdesc_t d;
	dtrace_optget_t opt = {.dtog_option = DTRACEOPT_BUFSIZE};

	(void)state;
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 250);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	assert_int_equal(dtrace_state_optget(fix.state, &opt), 0);
	assert_int_equal(opt.dtog_value, 256);
	for (int i = 0; i < 6; i++)
		fixture_fire(fix.a, i);
	assert_int_equal(port_user_world.wakes, 1);
	assert_true(dtrace_state_readable(fix.state));
	for (int i = 6; i < 15; i++)
		fixture_fire(fix.a, i);
	d = fixture_read(0, &out);
	assert_int_equal(d.dtbd_size, 240);
	assert_int_equal(d.dtbd_drops, 5);
	assert_true(d.dtbd_timestamp >= build_record(&out, 9)->dtrh_timestamp);
	assert_false(dtrace_state_readable(fix.state));
	assert_int_equal(fixture_status().dtst_principaldrops, 5);
	fixture_fire(fix.a, 99);
	d = fixture_read(0, &out);
	assert_int_equal(d.dtbd_drops, 0);
	assert_int_equal(fixture_u64(build_record(&out, 10), 0), 99);
	bytes_free(&out);
}

static int no_emit(void *ctx, const void *data, size_t n)
{
	(void)ctx, (void)data, (void)n;
	return -EFAULT;
}

static void snapshots_that_are_refused(void **state)
{
	dtrace_bufdesc_t d = {.dtbd_cpu = FIXTURE_CPUS, .dtbd_size = 1 << 30};

	(void)state;
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	assert_int_equal(dtrace_state_snapshot(fix.state, false, &d, no_emit, NULL), -ENOENT);
	d.dtbd_cpu = 0;
	d.dtbd_size = 100;
	assert_int_equal(dtrace_state_snapshot(fix.state, false, &d, no_emit, NULL), -ENOBUFS);
	fixture_fire(fix.a, 1);
	d.dtbd_size = 1 << 30;
	assert_int_equal(dtrace_state_snapshot(fix.state, false, &d, no_emit, NULL), -EFAULT);
	assert_int_equal(dtrace_state_snapshot(fix.state, true, &d, no_emit, NULL), 0);
	assert_int_equal(d.dtbd_size, 0);
}

static void a_ring_keeps_the_newest(void **state)
{
	struct bytes out = {0};
	uint64_t first;
	unsigned int n;

	(void)state;
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 256);
	build_option(&fix.dof, DTRACEOPT_BUFPOLICY, DTRACEOPT_BUFPOLICY_RING);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_clause("test:::b", NULL, NULL);
	fixture_go();
	for (int i = 0; i < 1000; i++) {
		fixture_fire(fix.a, i);
		if (i % 3 == 0)
			fixture_fire(fix.b, i);
	}
	assert_int_equal(build_snapshot(fix.state, false, 0, &out, NULL), -EBUSY);
	fixture_stop();
	fixture_read(0, &out);
	assert_true(out.n <= 256 && out.n > 200);
	for (n = 0; build_record(&out, n)->dtrh_epid != 1; n++)
		;
	first = fixture_u64(build_record(&out, n), 0);
	for (; build_record(&out, n); n++)
		if (build_record(&out, n)->dtrh_epid == 1)
			assert_int_equal(fixture_u64(build_record(&out, n), 0), first++);
	assert_int_equal(first, 1000);
	out.n = 0;
	fixture_read(0, &out);
	assert_int_equal(out.n, 0);
	assert_int_equal(fixture_status().dtst_principaldrops, 0);
	bytes_free(&out);
}

static void a_ring_that_has_not_wrapped(void **state)
{
	struct bytes out = {0};

	(void)state;
	build_option(&fix.dof, DTRACEOPT_BUFPOLICY, DTRACEOPT_BUFPOLICY_RING);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	fixture_fire(fix.a, 1);
	fixture_stop();
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 1);
	assert_null(build_record(&out, 1));
	bytes_free(&out);
}

static void fill_stops_and_keeps_room_for_end(void **state)
{
	struct bytes out = {0};

	(void)state;
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 256);
	build_option(&fix.dof, DTRACEOPT_BUFPOLICY, DTRACEOPT_BUFPOLICY_FILL);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_clause("test:::b", NULL, NULL);
	fixture_clause("dtrace:::END", NULL, record_arg0);
	fixture_go();
	for (int i = 0; i < 9; i++)
		fixture_fire(fix.a, i);
	assert_int_equal(fixture_status().dtst_filled, 0);
	fixture_fire(fix.a, 9);
	assert_int_equal(fixture_status().dtst_filled, 1);
	fixture_fire(fix.b, 10); /* would fit, but recording has ended */
	fixture_stop();
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 8), 0), 8);
	assert_int_equal(build_record(&out, 9)->dtrh_epid, 3);
	assert_null(build_record(&out, 10));
	bytes_free(&out);
}

/* The records of END take 4 GiB together, which are 0 in 32 bits. */
static void space_for_end_that_does_not_fit(void **state)
{
	enum { NACTS = 64, SIZE = 1 << 20 };
	static struct build_action acts[NACTS];
	uint32_t section;
	dtrace_go_t go;

	(void)state;
	for (int i = 0; i < NACTS; i++)
		acts[i] = (struct build_action){
			.kind = DTRACEACT_TRACEMEM, .arg = SIZE, .difo = "ret %r0"};
	acts[0].arg -= sizeof(dtrace_rechdr_t);
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, NACTS * SIZE);
	build_option(&fix.dof, DTRACEOPT_BUFPOLICY, DTRACEOPT_BUFPOLICY_FILL);
	section = build_actions(&fix.dof, acts, NACTS);
	for (int i = 0; i < (1 << 26) / SIZE; i++)
		build_clause(&fix.dof, "dtrace:::END", NULL, section, 0);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	assert_int_equal(dtrace_state_go(fix.state, &go), -E2BIG);
}

static void buffers_that_do_not_fit(void **state)
{
	static const struct build_action large[] = {
		{.kind = DTRACEACT_TRACEMEM, .arg = 1000, .difo = "ret %r0"}, ACT_END};
	dtrace_optget_t opt = {.dtog_option = DTRACEOPT_BUFSIZE};
	dtrace_go_t go;

	(void)state;
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 1016);
	fixture_clause("test:::a", NULL, large);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	assert_int_equal(dtrace_state_go(fix.state, &go), 0);
	fixture_session(DTRACE_PRIV_ALL, 0);
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 1008);
	fixture_clause("test:::a", NULL, large);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	assert_int_equal(dtrace_state_go(fix.state, &go), -ENOSPC);
	fixture_session(DTRACE_PRIV_ALL, 0);
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, 64 << 10);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	port_user_fail(3);
	assert_int_equal(dtrace_state_go(fix.state, &go), 0);
	assert_true(port_user_fail(0));
	assert_int_equal(dtrace_state_optget(fix.state, &opt), 0);
	assert_int_equal(opt.dtog_value, 32 << 10);
	fixture_session(DTRACE_PRIV_ALL, 0);
	build_option(&fix.dof, DTRACEOPT_BUFRESIZE, DTRACEOPT_BUFRESIZE_MANUAL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	port_user_fail(3);
	assert_int_equal(dtrace_state_go(fix.state, &go), -ENOMEM);
	port_user_fail(0);
	assert_int_equal(dtrace_state_go(fix.state, &go), 0);
}

static void one_cpu_only(void **state)
{
	struct bytes out = {0};
	dtrace_go_t go;

	(void)state;
	build_option(&fix.dof, DTRACEOPT_CPU, 2);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_clause("dtrace:::BEGIN", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	assert_int_equal(dtrace_state_go(fix.state, &go), 0);
	assert_int_equal(go.dtgo_cpu, 2);
	for (unsigned int c = 0; c < FIXTURE_CPUS; c++)
		fixture_fire_on(c, fix.a, c);
	assert_int_equal(fixture_read(0, &out).dtbd_size, 0);
	fixture_read(2, &out);
	assert_int_equal(build_record(&out, 0)->dtrh_epid, 2);
	assert_int_equal(fixture_u64(build_record(&out, 1), 0), 2);
	assert_null(build_record(&out, 2));
	assert_int_equal(fixture_status().dtst_principaldrops, 0);
	bytes_free(&out);
}

static void fire_bound_on(unsigned int cpu)
{
	uint64_t args[] = {5};
	struct dtrace_fire fire = {.args = args, .nargs = 1};

	port_user_set_cpu(cpu);
	assert_int_equal(dtrace_fire_timed(fix.a, &fire, true), 0);
	port_user_set_cpu(0);
}

/* A provider is told of sessions for one CPU, and can fire for those alone. */
static void bound_to_a_cpu(void **state)
{
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	fire_bound_on(2);
	assert_int_equal(fixture_read(2, &out).dtbd_size, 0);
	assert_int_equal(fix.bound, 0);
	fixture_session(DTRACE_PRIV_ALL, 0);
	build_option(&fix.dof, DTRACEOPT_CPU, 2);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	assert_int_equal(fix.bound, 1U << 2);
	fire_bound_on(1);
	fire_bound_on(2);
	assert_int_equal(fixture_read(1, &out).dtbd_size, 0);
	fixture_read(2, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 5);
	assert_null(build_record(&out, 1));
	bytes_free(&out);
}

/* A provider is told when the first session with a probe begins to record, once for all clauses. */
static void the_first_session_begins(void **state)
{
	struct dtrace_cred cred = {.privs = DTRACE_PRIV_ALL};
	dtrace_state_t *first = fix.state;
	dtrace_go_t go;

	(void)state;
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_clause("test:::a", NULL, record_arg0);
	assert_int_equal(fix.begun, 0);
	fixture_go();
	assert_int_equal(fix.begun, 1);
	assert_int_equal(dtrace_state_create(&cred, NULL, &fix.state), 0);
	fixture_clause("test:::a", NULL, record_arg0);
	assert_int_equal(dtrace_state_go(fix.state, &go), 0);
	assert_int_equal(fix.begun, 1);
	dtrace_state_destroy(first);
}

static void an_offline_cpu(void **state)
{
	struct bytes out = {0};

	(void)state;
	port_user_offline(1, true);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	fixture_fire_on(1, fix.a, 1); /* it has come up since */
	assert_int_equal(fixture_read(1, &out).dtbd_size, 0);
	assert_int_equal(fixture_status().dtst_principaldrops, 1);
	fixture_session(DTRACE_PRIV_ALL, 0);
	build_option(&fix.dof, DTRACEOPT_CPU, 1);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	assert_int_equal(dtrace_state_go(fix.state, &(dtrace_go_t){0}), -ENODEV);
	bytes_free(&out);
}

/* ---- what is refused ---- */

static void options_out_of_range(void **state)
{
	static const struct {
		uint32_t option;
		uint64_t value;
		const char *text;
	} cases[] = {
		{DTRACEOPT_STRSIZE, 1, "strsize"},
		{DTRACEOPT_STRSIZE, 65537, "strsize"},
		{DTRACEOPT_BUFPOLICY, 3, "bufpolicy"},
		{DTRACEOPT_BUFSIZE, 0, "bufsize"},
		{DTRACEOPT_CPU, FIXTURE_CPUS, "cpu"},
		{DTRACEOPT_MAX, 0, "unknown"},
		{DTRACEOPT_USTACKFRAMES, 5000, "ustackframes"},
	};
	char msg[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		build_option(&fix.dof, cases[i].option, cases[i].value);
		assert_int_equal(fixture_enable(NULL, msg), -EINVAL);
		assert_non_null(strstr(msg, cases[i].text));
	}
	build_option(&fix.dof, DTRACEOPT_STRSIZE, DTRACEOPT_UNSET);
	assert_int_equal(fixture_enable(NULL, msg), 0);
}

static void an_error_leaves_nothing(void **state)
{
	static const struct build_action agg[] = {{.kind = DTRACEAGG_COUNT, .ntuple = 1}, ACT_END};
	static const struct build_action bad[] = {{.kind = DTRACEACT_DIFEXPR, .difo = "nop"},
						  ACT_END};
	dtrace_optget_t opt = {.dtog_option = DTRACEOPT_STRSIZE};
	dtrace_aggdesc_t ad = {.dtagd_id = 1};
	dtrace_enable_io_t io;
	char msg[256];

	(void)state;
	build_option(&fix.dof, DTRACEOPT_STRSIZE, 77);
	fixture_clause("test:::a", NULL, agg);
	fixture_clause("test:::b", "var global leaves int; ldgs leaves, %r1; ret %r1", NULL);
	fixture_clause("test:::b", NULL, bad);
	assert_int_equal(fixture_enable(&io, msg), -EINVAL);
	assert_int_equal(io.error_desc, 2);
	assert_non_null(strstr(msg, "not RET"));
	assert_false(dtrace_probe_enabled(fix.a));
	assert_int_equal(dtrace_state_aggdesc(fix.state, &ad, NULL, 0), -ESRCH);
	assert_int_equal(dtrace_state_optget(fix.state, &opt), 0);
	assert_int_equal(opt.dtog_value, DTRACE_STRSIZE_DEFAULT);
	assert_int_equal(fix.state->vars.scopes[0].n, 0);
}

static void actions_that_are_refused(void **state)
{
	static const struct {
		struct build_action acts[4];
		const char *text;
	} cases[] = {
		{{{.kind = 0x7777}}, "kind 0x7777 is unknown"},
		{{{.kind = 0x10001}}, "kind 0x10001 is unknown"},
		{{{.kind = DTRACEACT_EXIT}}, "needs an expression"},
		{{{.kind = DTRACEACT_STACK, .arg = 2000}}, "2000 stack frames"},
		{{{.kind = DTRACEACT_USTACK, .arg = DTRACE_USTACK_ARG(1, 1 << 20)}},
		 "bytes for strings"},
		{{{.kind = DTRACEACT_TRACEMEM, .difo = "ret %r0"}}, "tracemem of 0 bytes"},
		{{{.kind = DTRACEAGG_COUNT}}, "aggregation of 0 actions"},
		{{{.kind = DTRACEAGG_COUNT, .ntuple = 2}},
		 "aggregation of 2 actions, there are 0 before it"},
		{{{.kind = DTRACEAGG_LQUANTIZE, .ntuple = 1, .difo = "ret %r0"}}, "parameters 0x0"},
		{{{.kind = DTRACEAGG_LLQUANTIZE,
		   .ntuple = 1,
		   .difo = "ret %r0",
		   .arg = DTRACE_LLQUANTIZE_ARG(10, 0, 19, 10)}},
		 "parameters"},
		{{{.kind = DTRACEAGG_LLQUANTIZE,
		   .ntuple = 1,
		   .difo = "ret %r0",
		   .arg = DTRACE_LLQUANTIZE_ARG(10, 1, 3, 15)}},
		 "parameters"},
		{{{.kind = DTRACEACT_DIFEXPR, .difo = "type void; ret %r0"},
		  {.kind = DTRACEAGG_COUNT, .ntuple = 2}},
		 "cannot be part of"},
		{{ACT_ARG0, {.kind = DTRACEACT_SPECULATE, .difo = "ret %r0"}},
		 "before all that records"},
		{{{.kind = DTRACEACT_SPECULATE, .difo = "ret %r0"},
		  {.kind = DTRACEACT_SPECULATE, .difo = "ret %r0"}},
		 "once"},
		{{ACT_ARG0, {.kind = DTRACEACT_COMMIT, .difo = "ret %r0"}},
		 "before all that records"},
		{{{.kind = DTRACEACT_SPECULATE, .difo = "ret %r0"},
		  {.kind = DTRACEACT_EXIT, .difo = "ret %r0"}},
		 "not allowed after speculate"},
		{{{.kind = DTRACEACT_SPECULATE, .difo = "ret %r0"},
		  {.kind = DTRACEAGG_COUNT, .ntuple = 1}},
		 "not allowed after speculate"},
		{{{.kind = DTRACEACT_COMMIT, .difo = "ret %r0"}, ACT_ARG0}, "after commit"},
		{{{.kind = DTRACEACT_COMMIT, .difo = "ret %r0"},
		  {.kind = DTRACEACT_COMMIT, .difo = "ret %r0"}},
		 "once"},
	};
	char msg[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_clause("test:::a", NULL, cases[i].acts);
		assert_int_equal(fixture_enable(NULL, msg), -EINVAL);
		if (!strstr(msg, cases[i].text))
			fail_msg("\"%s\" does not say \"%s\"", msg, cases[i].text);
	}
}

/* Each case changes one field of good DOF. */
static void damaged_dof(void **state)
{
	static const struct {
		size_t off, size;
		uint64_t value;
		const char *text;
	} cases[] = {
		{0, 1, 'x', "magic"},
		{DOF_ID_MODEL, 1, 9, "data model 9"},
		{DOF_ID_ENCODING, 1, 2, "byte order 2"},
		{DOF_ID_VERSION, 1, 3, "version 3"},
		{DOF_ID_DIFVERS, 1, 0, "DIF version 0"},
		{DOF_ID_DIFIREG, 1, 9, "9 integer"},
		{DOF_ID_PAD, 1, 1, "identification byte"},
		{offsetof(dof_hdr_t, dofh_flags), 4, 1, "flags"},
		{offsetof(dof_hdr_t, dofh_hdrsize), 4, 8, "header of 8"},
		{offsetof(dof_hdr_t, dofh_secsize), 4, 8, "too small"},
		{offsetof(dof_hdr_t, dofh_secnum), 4, 0, "0 sections"},
		{offsetof(dof_hdr_t, dofh_secnum), 4, 1 << 20, "sections, allowed"},
		{offsetof(dof_hdr_t, dofh_secoff), 8, 1ULL << 40, "section table"},
		{offsetof(dof_hdr_t, dofh_secoff), 8, UINT64_MAX, "section table"},
		{offsetof(dof_hdr_t, dofh_loadsz), 8, 1ULL << 40, "load size"},
		{offsetof(dof_hdr_t, dofh_loadsz), 8, 10, "load size"},
		{sizeof(dof_hdr_t) + offsetof(dof_sec_t, dofs_align), 4, 3,
		 "section 0 (DIF): alignment 3"},
		{sizeof(dof_hdr_t) + offsetof(dof_sec_t, dofs_offset), 8, UINT64_MAX,
		 "section 0 (DIF)"},
		{sizeof(dof_hdr_t) + offsetof(dof_sec_t, dofs_size), 8, 1ULL << 30,
		 "section 0 (DIF)"},
		{sizeof(dof_hdr_t) + offsetof(dof_sec_t, dofs_entsize), 4, 3, "entry size 3"},
		{sizeof(dof_hdr_t) + offsetof(dof_sec_t, dofs_type), 4, DOF_SECT_VARTAB,
		 "allowed are multiples of 20"},
	};
	char msg[256];
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		dtrace_enable_io_t io;
		uint8_t *dof;

		fixture_clause("test:::a", NULL, record_arg0);
		dof = (uint8_t *)(uintptr_t)build_finish(&fix.dof, &size);
		memcpy(dof + cases[i].off, &cases[i].value, cases[i].size);
		assert_int_equal(dtrace_state_enable(fix.state, dof, size, &io, msg, sizeof(msg)),
				 -EINVAL);
		if (!strstr(msg, cases[i].text))
			fail_msg("\"%s\" does not say \"%s\"", msg, cases[i].text);
		build_dof_free(&fix.dof);
	}
	assert_int_equal(
		dtrace_state_enable(fix.state, "", 0, &(dtrace_enable_io_t){0}, msg, sizeof(msg)),
		-EINVAL);
}

/* ---- a reader whose memory does not answer ---- */

static void *clean_beside(void *arg)
{
	dtrace_state_clean(fix.state);
	return arg;
}

static int being_killed(void *arg)
{
	(void)arg;
	return -EINTR;
}

static void *wait_beside(void *arg)
{
	dtrace_status_t status;
	dtrace_bufdesc_t desc = {.dtbd_size = 1 << 20};
	dtrace_aggdesc_t agg = {.dtagd_id = 1};
	dtrace_optget_t opt = {0};
	dtrace_probedesc_t probe = {.dtpd_id = 2, .dtpd_name = "a*"}, probes[2];
	dtrace_probes_io_t list = {.pattern = probe, .capacity = 2, .match = 1};
	dtrace_enable_io_t io;
	dtrace_go_t go;
	int *rc = arg;

	rc[0] = dtrace_state_status(fix.state, &status);
	rc[1] = dtrace_state_snapshot(fix.state, false, &desc, no_emit, NULL);
	rc[2] = dtrace_state_optget(fix.state, &opt);
	rc[3] = dtrace_state_stop(fix.state, &go);
	rc[4] = dtrace_state_go(fix.state, &go);
	rc[5] = dtrace_state_aggdesc(fix.state, &agg, NULL, 0);
	rc[6] = dtrace_state_enable(fix.state, "", 0, &io, NULL, 0);
	rc[7] = dtrace_state_probes(fix.state, true, &probe);
	rc[8] = dtrace_state_probe_list(fix.state, &list, probes);
	return NULL;
}

/*
 * Run it in a thread while this one copies a snapshot out. False: it waits for the session's lock.
 */
static bool returns_beside(void *(*run)(void *), void *arg)
{
	struct timespec end;
	pthread_t thread;

	assert_true(port_mutex_held(&fix.state->snap_lock));
	assert_int_equal(pthread_create(&thread, NULL, run, arg), 0);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 5;
	return pthread_timedjoin_np(thread, NULL, &end) == 0;
}

static int emit_slowly(void *ctx, const void *data, size_t n)
{
	int rc[9] = {0};

	(void)data;
	(void)n;
	fix.state->spec_pending = 1;
	if (!returns_beside(clean_beside, NULL))
		return -ETIMEDOUT;
	assert_int_equal(fix.state->spec_pending, 1); /* it is left for the next time */
	port_user_relax(being_killed, NULL);
	if (!returns_beside(wait_beside, rc))
		return -ETIMEDOUT;
	port_user_relax(NULL, NULL);
	for (int i = 0; i < 9; i++)
		assert_int_equal(rc[i], -EINTR);
	++*(int *)ctx;
	return 0;
}

/* Nobody waits for it but the session's own requests, and these can be killed. */
static void a_slow_reader_keeps_nobody(void **state)
{
	static const struct build_action arg0[] = {ACT_ARG0, ACT_END};
	dtrace_bufdesc_t desc = {.dtbd_size = 1 << 20};
	int emitted = 0;

	(void)state;
	fixture_clause("test:::a", NULL, arg0);
	fixture_go();
	fixture_fire(fix.a, 1);
	desc.dtbd_size = (uint64_t)fix.state->opts[DTRACEOPT_BUFSIZE];
	assert_int_equal(dtrace_state_snapshot(fix.state, false, &desc, emit_slowly, &emitted), 0);
	assert_int_equal(emitted, 1);
	dtrace_state_clean(fix.state);
	assert_int_equal(fix.state->spec_pending, 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

/* ---- the deadman ---- */

#define SECOND 1000000000ULL

static void silence(uint64_t seconds)
{
	for (uint64_t i = 0; i < seconds; i++) {
		port_user_world.timestamp += SECOND;
		dtrace_state_deadman(fix.state);
	}
}

static void a_silent_consumer_is_given_up(void **state)
{
	struct bytes out = {0};

	(void)state;
	port_user_world.timestamp = SECOND;
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	silence(35);
	assert_int_equal(fixture_status().dtst_killed, 0);
	silence(41);
	assert_int_equal(fixture_status().dtst_killed, 1);
	assert_true(dtrace_state_readable(fix.state));
	fixture_fire(fix.a, 5);
	fixture_read(0, &out);
	assert_int_equal(out.n, 0);
	bytes_free(&out);
	port_user_world.timestamp = 0;
}

static void a_machine_that_does_nothing_else_is_freed(void **state)
{
	(void)state;
	port_user_world.timestamp = SECOND;
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	port_user_world.timestamp += 9 * SECOND;
	fixture_fire(fix.a, 5);
	dtrace_state_deadman(fix.state);
	port_user_world.timestamp += 9 * SECOND;
	fixture_fire(fix.a, 5);
	assert_int_equal(fixture_status().dtst_killed, 0);
	port_user_world.timestamp += 11 * SECOND;
	fixture_fire(fix.a, 5);
	assert_int_equal(fixture_status().dtst_killed, 1);
	port_user_world.timestamp = 0;
}

static void the_destructive_are_left_alone(void **state)
{
	(void)state;
	port_user_world.timestamp = SECOND;
	build_option(&fix.dof, DTRACEOPT_DESTRUCTIVE, 1);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	silence(100);
	fixture_fire(fix.a, 5);
	assert_int_equal(fixture_status().dtst_killed, 0);
	port_user_world.timestamp = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(begin_to_end),
		T(two_sessions_on_a_probe),
		T(exit_ends_recording_but_for_end),
		T(exit_in_begin),
		T(joined_sessions_have_neither_begin_nor_end),
		T(cpus_have_the_numbers_of_the_machine),
		T(clauses_in_order_with_predicates),
		T(words_across_clauses),
		T(a_clause_by_probe_number),
		T(void_expressions_record_nothing),
		T(records_of_all_kinds),
		T(lockdown_is_honoured),
		T(destructive_actions),
		T(error_is_told_what_happened),
		T(a_fault_in_a_predicate_is_in_action_0),
		T(a_fault_in_error_is_a_double_error),
		T(a_probe_within_a_probe_is_counted),
		T(a_bound_probe_within_a_probe_is_not_counted_for_others),
		T(others_processes_are_not_seen),
		T(others_processes_are_not_touched),
		T(scratch_of_others_is_not_seen),
		T(the_first_session_begins),
		T(the_kernel_is_not_shown),
		T(a_full_buffer_drops_and_counts),
		T(snapshots_that_are_refused),
		T(a_ring_keeps_the_newest),
		T(a_ring_that_has_not_wrapped),
		T(fill_stops_and_keeps_room_for_end),
		T(space_for_end_that_does_not_fit),
		T(buffers_that_do_not_fit),
		T(one_cpu_only),
		T(bound_to_a_cpu),
		T(an_offline_cpu),
		T(options_out_of_range),
		T(an_error_leaves_nothing),
		T(actions_that_are_refused),
		T(damaged_dof),
		T(a_silent_consumer_is_given_up),
		T(a_machine_that_does_nothing_else_is_freed),
		T(the_destructive_are_left_alone),
		T(a_slow_reader_keeps_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
