/* SPDX-License-Identifier: MIT */
/*
 * engine_agg.c - aggregations: each function's value, keys, buckets at their edges, drops,
 * snapshots.
 */
#include "core.h"
#include "engine_fixture.h"
#include "state.h"

#define VALUE "ldgs arg0, %r1; ret %r1"

/* Enable one aggregating action on test:::a and go. */
static void go_with(uint32_t kind, uint64_t arg)
{
	struct build_action acts[] = {{.kind = kind,
				       .arg = arg,
				       .ntuple = 1,
				       .difo = kind == DTRACEAGG_COUNT ? NULL : VALUE},
				      ACT_END};

	fixture_clause("test:::a", NULL, acts);
	fixture_go();
}

/* The words of the only value of CPU 0's buffer. */
static const int64_t *values(struct bytes *out, size_t nwords)
{
	const dtrace_aggrec_t *a;

	out->n = 0;
	fixture_read_aggs(0, out);
	a = build_aggrec(out, 0);
	assert_non_null(a);
	assert_null(build_aggrec(out, 1));
	assert_int_equal(a->dtar_id, 1);
	assert_int_equal(a->dtar_size, sizeof(*a) + nwords * 8);
	return (const int64_t *)(a + 1);
}

static void simple_functions(void **state)
{
	static const int64_t in[] = {5, -3, 10, 2};
	static const struct {
		uint32_t kind;
		size_t nwords;
		int64_t want[4];
	} cases[] = {
		{DTRACEAGG_COUNT, 1, {4}},   {DTRACEAGG_SUM, 1, {14}},
		{DTRACEAGG_MIN, 1, {-3}},    {DTRACEAGG_MAX, 1, {10}},
		{DTRACEAGG_AVG, 2, {4, 14}}, {DTRACEAGG_STDDEV, 4, {4, 14, 25 + 9 + 100 + 4, 0}},
	};
	struct bytes out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_session(DTRACE_PRIV_ALL, 0);
		go_with(cases[i].kind, 0);
		for (size_t k = 0; k < 4; k++)
			fixture_fire(fix.a, (uint64_t)in[k]);
		assert_memory_equal(values(&out, cases[i].nwords), cases[i].want,
				    cases[i].nwords * 8);
	}
	bytes_free(&out);
}

static void min_and_max_of_one_sign(void **state)
{
	struct bytes out = {0};

	(void)state;
	go_with(DTRACEAGG_MIN, 0);
	fixture_fire(fix.a, 5);
	assert_int_equal(values(&out, 1)[0], 5);
	fixture_session(DTRACE_PRIV_ALL, 0);
	go_with(DTRACEAGG_MAX, 0);
	fixture_fire(fix.a, (uint64_t)-5);
	assert_int_equal(values(&out, 1)[0], -5);
	fixture_fire(fix.a, (uint64_t)INT64_MIN);
	assert_true(values(&out, 1)[0] == INT64_MIN);
	bytes_free(&out);
}

static void squares_of_128_bits(void **state)
{
	const uint64_t *v;
	struct bytes out = {0};

	(void)state;
	go_with(DTRACEAGG_STDDEV, 0);
	fixture_fire(fix.a, 1ULL << 63); /* the least number: its square is 2^126 */
	fixture_fire(fix.a, 3ULL << 32); /* 9 * 2^64 */
	v = (const uint64_t *)values(&out, 4);
	assert_int_equal(v[2], 0);
	assert_int_equal(v[3], (1ULL << 62) + 9);
	bytes_free(&out);
}

static void quantize_buckets(void **state)
{
	static const struct {
		int64_t value;
		unsigned int bucket;
	} cases[] = {
		{0, 63},	  {1, 64},
		{2, 65},	  {3, 65},
		{4, 66},	  {-1, 62},
		{-2, 61},	  {-3, 61},
		{-4, 60},	  {INT64_MAX, 126},
		{INT64_MIN, 0},	  {INT64_MIN + 1, 0},
		{1LL << 62, 126}, {(1LL << 62) - 1, 125},
	};
	struct bytes out = {0};

	(void)state;
	go_with(DTRACEAGG_QUANTIZE, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_fire(fix.a, (uint64_t)cases[i].value);
		assert_int_equal(values(&out, DTRACE_QUANTIZE_NBUCKETS)[cases[i].bucket], 1);
	}
	bytes_free(&out);
}

static void lquantize_buckets(void **state)
{
	static const struct {
		int64_t value;
		unsigned int bucket;
	} cases[] = {
		{-11, 0}, {-10, 1}, {-6, 1},	    {-5, 2},	    {0, 3},
		{9, 4},	  {10, 5},  {INT64_MAX, 5}, {INT64_MIN, 0},
	};
	uint64_t arg = DTRACE_LQUANTIZE_ARG(-10, 4, 5);
	struct bytes out = {0};
	const int64_t *v;

	(void)state;
	go_with(DTRACEAGG_LQUANTIZE, arg);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_fire(fix.a, (uint64_t)cases[i].value);
		v = values(&out, 7);
		assert_int_equal(v[0], arg);
		assert_int_equal(v[1 + cases[i].bucket], 1);
	}
	bytes_free(&out);
}

/* The same cases, each read once. */
static void check_llquantize(uint64_t arg, size_t nbuckets, const int64_t (*cases)[2], size_t n)
{
	struct bytes out = {0};
	const int64_t *v;

	go_with(DTRACEAGG_LLQUANTIZE, arg);
	for (size_t i = 0; i < n; i++) {
		fixture_fire(fix.a, (uint64_t)cases[i][0]);
		v = values(&out, nbuckets + 1);
		assert_int_equal(v[0], arg);
		if (v[1 + cases[i][1]] != 1)
			fail_msg("%lld is not in bucket %lld", (long long)cases[i][0],
				 (long long)cases[i][1]);
	}
	bytes_free(&out);
}

static void llquantize_buckets(void **state)
{
	/* factor 10, magnitudes 0 to 2, 10 steps: 1..9, 10 20 .. 90, 100 .. 900 */
	static const int64_t tens[][2] = {
		{0, 0},	  {-5, 0},  {1, 1},    {9, 9},	  {10, 10},   {19, 10},
		{20, 11}, {99, 18}, {100, 19}, {999, 27}, {1000, 28}, {INT64_MAX, 28},
	};
	/* 20 steps: magnitude 0 in steps of one (9 buckets), then 18 of width 5, 18 of width 50 */
	static const int64_t twenty[][2] = {
		{0, 0},	  {1, 1},   {9, 9},    {10, 10},  {14, 10},
		{15, 11}, {99, 27}, {100, 28}, {999, 45}, {1000, 46},
	};

	(void)state;
	check_llquantize(DTRACE_LLQUANTIZE_ARG(10, 0, 2, 10), 29, tens, 12);
	fixture_session(DTRACE_PRIV_ALL, 0);
	check_llquantize(DTRACE_LLQUANTIZE_ARG(10, 0, 2, 20), 47, twenty, 10);
}

static void weights(void **state)
{
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "setx 7, %r1; ret %r1",
		 .arg = DTRACE_AGG_WEIGHT,
		 .uarg = 3},
		{.kind = DTRACEAGG_QUANTIZE, .ntuple = 2, .difo = VALUE, .uarg = 3},
		ACT_END};
	dtrace_aggdesc_t ad = {.dtagd_id = 1};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	fixture_fire(fix.a, 1);
	fixture_fire(fix.a, 1);
	assert_int_equal(values(&out, DTRACE_QUANTIZE_NBUCKETS)[64], 14);
	assert_int_equal(dtrace_state_aggdesc(fix.state, &ad, NULL, 0), 0);
	assert_int_equal(ad.dtagd_nrecs, 1);
	assert_int_equal(ad.dtagd_varid, 3);
	bytes_free(&out);
}

static const struct build_action keyed[] = {
	{.kind = DTRACEACT_DIFEXPR, .difo = "type int(4); ldgs arg0, %r1; ret %r1", .uarg = 4},
	{.kind = DTRACEACT_DIFEXPR, .difo = "type string; ldgs probename, %r1; ret %r1", .uarg = 4},
	{.kind = DTRACEACT_DIFEXPR, .difo = "type int(1); ldgs arg0, %r1; ret %r1", .uarg = 4},
	{.kind = DTRACEAGG_SUM, .ntuple = 4, .difo = VALUE, .uarg = 4},
	ACT_END};

static void keys_and_descriptions(void **state)
{
	dtrace_aggdesc_t ad = {.dtagd_id = 1};
	dtrace_recdesc_t recs[8];
	struct bytes out = {0};
	const uint8_t *e;

	(void)state;
	fixture_clause("test:::", NULL, keyed);
	fixture_go();
	fixture_fire(fix.a, 1);
	fixture_fire(fix.b, 1);
	fixture_fire(fix.a, 2);
	fixture_fire(fix.a, 1);
	fixture_read_aggs(0, &out);
	assert_int_equal(dtrace_state_aggdesc(fix.state, &ad, recs, 2), 0);
	assert_int_equal(ad.dtagd_nrecs, 4);
	assert_int_equal(dtrace_state_aggdesc(fix.state, &ad, recs, 8), 0);
	assert_int_equal(ad.dtagd_epid, 1);
	e = (const uint8_t *)build_aggrec(&out, 0);
	assert_int_equal(ad.dtagd_size, 8 + 8 + 256 + 8 + 8);
	assert_int_equal(build_aggrec(&out, 0)->dtar_size, 8 + 8 + 8 + 8 + 8);
	assert_int_equal(*(const int32_t *)(e + recs[0].dtrd_offset), 1);
	assert_string_equal((const char *)e + recs[1].dtrd_offset, "a");
	assert_int_equal(recs[3].dtrd_action, DTRACEAGG_SUM);
	assert_int_equal(*(const int64_t *)(e + 8 + 8 + 8 + 8), 2);
	e = (const uint8_t *)build_aggrec(&out, 1);
	assert_string_equal((const char *)e + recs[1].dtrd_offset, "b");
	assert_non_null(build_aggrec(&out, 2));
	assert_null(build_aggrec(&out, 3));
	assert_int_equal(
		dtrace_state_aggdesc(fix.state, &(dtrace_aggdesc_t){.dtagd_id = 2}, NULL, 0),
		-ESRCH);
	bytes_free(&out);
}

static void snapshots_give_what_is_new(void **state)
{
	struct bytes out = {0};

	(void)state;
	go_with(DTRACEAGG_COUNT, 0);
	fixture_fire(fix.a, 0);
	fixture_fire(fix.a, 0);
	assert_int_equal(values(&out, 1)[0], 2);
	fixture_fire(fix.a, 0);
	assert_int_equal(values(&out, 1)[0], 1);
	out.n = 0;
	assert_int_equal(fixture_read_aggs(0, &out).dtbd_size, 0);
	fixture_fire_on(1, fix.a, 0);
	assert_int_equal(fixture_read_aggs(0, &out).dtbd_size, 0);
	assert_int_equal(fixture_read_aggs(1, &out).dtbd_size, 16);
	fixture_read(0, &out);
	bytes_free(&out);
}

/* The entry that got a value last is looked at first. */
static void values_go_to_entries_in_turn(void **state)
{
	static const struct build_action count[] = {{.kind = DTRACEAGG_COUNT, .ntuple = 1},
						    ACT_END};
	static const struct build_action sum[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = VALUE},
		{.kind = DTRACEAGG_SUM, .ntuple = 2, .difo = VALUE},
		ACT_END};
	static const uint64_t in[] = {0, 0, 7, 7, 8, 7, 0, 8}; /* 0: to the count */
	static const int64_t want[][2] = {{3}, {7, 21}, {8, 16}};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, count);
	fixture_clause("test:::b", NULL, sum);
	fixture_go();
	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		fixture_fire(in[i] ? fix.b : fix.a, in[i]);
	fixture_read_aggs(0, &out);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const dtrace_aggrec_t *a = build_aggrec(&out, (unsigned int)i);

		assert_non_null(a);
		assert_int_equal(a->dtar_id, i ? 2 : 1);
		assert_memory_equal(a + 1, want[i], a->dtar_size - sizeof(*a));
	}
	assert_null(build_aggrec(&out, 3));
	bytes_free(&out);
}

/* Check the entry of a probe with that name, n bytes with its NUL, with sum as its value. */
static void check_entry(const struct bytes *out, unsigned int i, const char *name, uint32_t n,
			int64_t sum)
{
	const dtrace_aggrec_t *a = build_aggrec(out, i);
	const uint8_t *key = (const uint8_t *)(a + 1);

	assert_non_null(a);
	assert_int_equal(a->dtar_size, 8 + 8 + n + 8 + n + 8);
	assert_int_equal(*(const int32_t *)(const void *)key, 1);
	for (int second = 0; second < 2; second++) {
		assert_string_equal((const char *)key + 8, name);
		for (size_t k = strlen(name); k < n; k++)
			assert_int_equal(key[8 + k], 0);
		key += 8 + n;
		if (!second)
			assert_int_equal(*(const int8_t *)key, 1);
	}
	assert_int_equal(*(const int64_t *)(const void *)key, sum);
	assert_true(agg_entry_valid(fix.state->aggs[0], (const uint8_t *)a, a->dtar_size));
	assert_false(agg_entry_valid(fix.state->aggs[0], (const uint8_t *)a, a->dtar_size - 8));
	assert_false(agg_entry_valid(fix.state->aggs[0], (const uint8_t *)a, 16));
}

/* A string takes as many words as it needs, whatever is beside it; keys of other lengths differ. */
static void strings_take_what_they_need(void **state)
{
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "type int(4); ldgs arg0, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "type string; ldgs probename, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "type int(1); ldgs arg0, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "type string; ldgs probename, %r1; ret %r1"},
		{.kind = DTRACEAGG_SUM, .ntuple = 5, .difo = VALUE},
		ACT_END};
	static const struct {
		const char *name;
		uint32_t size;
	} names[] = {
		{"1234567", 8}, {"12345678", 16}, {"123456789012345678901234567890", 24}, {"1", 8}};
	dtrace_probe_t *probes[4];
	dtrace_aggdesc_t ad = {.dtagd_id = 1};
	dtrace_recdesc_t recs[5];
	struct bytes out = {0};

	(void)state;
	build_option(&fix.dof, DTRACEOPT_STRSIZE, 20);
	for (int i = 0; i < 4; i++)
		probes[i] = fixture_probe("strings", names[i].name);
	fixture_clause("test::strings:", NULL, acts);
	fixture_go();
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 4; i++)
			fixture_fire(probes[i], 1);
	assert_int_equal(dtrace_state_aggdesc(fix.state, &ad, recs, 5), 0);
	assert_int_equal(ad.dtagd_size, 8 + 8 + 24 + 8 + 24 + 8);
	assert_int_equal(recs[0].dtrd_flags, 0);
	assert_int_equal(recs[1].dtrd_flags, DTRACE_REC_STRING);
	assert_int_equal(recs[3].dtrd_flags, DTRACE_REC_STRING);
	assert_int_equal(recs[4].dtrd_offset, 8 + 8 + 24 + 8 + 24);
	fixture_read_aggs(0, &out);
	for (unsigned int i = 0; i < 4; i++) {
		char cut[20];

		snprintf(cut, sizeof(cut), "%s", names[i].name);
		check_entry(&out, i, cut, names[i].size, 3);
	}
	assert_null(build_aggrec(&out, 4));
	bytes_free(&out);
}

/* A program that overwrites its keys in scratch, and the header before them, moves nothing else. */
static void programs_cannot_change_the_size(void **state)
{
#define OVERWRITE                                                                                        \
	"setx 0xffffffffffffffff, %r5; setx 8, %r1; allocs %r1, %r1; setx 272, %r2; sub %r1, %r2, %r1\n" \
	"stx %r5, %r1; setx 8, %r2; add %r1, %r2, %r1; stx %r5, %r1\n"                                   \
	"add %r1, %r2, %r1; stx %r5, %r1; ldgs arg0, %r1; ret %r1"
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "type string; ldgs probename, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = OVERWRITE},
		{.kind = DTRACEAGG_SUM, .ntuple = 3, .difo = OVERWRITE},
		ACT_END};
	dtrace_probe_t *longer = fixture_probe("strings", "12345678");
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::", NULL, acts);
	fixture_go();
	for (int i = 0; i < 3; i++) {
		fixture_fire(fix.a, 1);
		fixture_fire(longer, 2);
	}
	assert_int_equal(fixture_status().dtst_errors, 0);
	fixture_read_aggs(0, &out);
	for (unsigned int i = 0; i < 2; i++) {
		const dtrace_aggrec_t *a = build_aggrec(&out, i);
		const uint64_t *words = (const uint64_t *)(const void *)(a + 1);

		assert_non_null(a);
		assert_int_equal(a->dtar_id, 1);
		assert_int_equal(a->dtar_size, 8 + 8 * (i + 1) + 8 + 8);
		assert_int_equal(words[0], UINT64_MAX);
		assert_int_equal(words[i + 2], 3 * (i + 1));
		assert_false(agg_entry_valid(fix.state->aggs[0], (const uint8_t *)a, a->dtar_size));
	}
	assert_null(build_aggrec(&out, 2));
	bytes_free(&out);
}

static void a_full_buffer_drops_and_counts(void **state)
{
	static const struct build_action acts[] = {{.kind = DTRACEACT_DIFEXPR, .difo = VALUE},
						   {.kind = DTRACEAGG_COUNT, .ntuple = 2},
						   ACT_END};
	struct bytes out = {0};
	dtrace_bufdesc_t d;
	unsigned int n = 0;

	(void)state;
	build_option(&fix.dof, DTRACEOPT_AGGSIZE, 1024);
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	for (int i = 0; i < 100; i++)
		fixture_fire(fix.a, i);
	assert_int_equal(port_user_world.wakes, 1);
	d = fixture_read_aggs(0, &out);
	while (build_aggrec(&out, n))
		n++;
	assert_in_range(n, 20, 40);
	assert_int_equal(d.dtbd_drops, 100 - n);
	assert_int_equal(fixture_status().dtst_aggdrops, 100 - n);
	fixture_fire(fix.a, 1000); /* there is memory again */
	out.n = 0;
	assert_int_equal(fixture_read_aggs(0, &out).dtbd_drops, 0);
	assert_int_equal(out.n, 24);
	bytes_free(&out);
}

static void many_keys(void **state)
{
	static const struct build_action acts[] = {{.kind = DTRACEACT_DIFEXPR, .difo = VALUE},
						   {.kind = DTRACEAGG_COUNT, .ntuple = 2},
						   ACT_END};
	struct bytes out = {0};
	uint64_t seen = 0;

	(void)state;
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 5000; i++)
			fixture_fire(fix.a, (uint64_t)i * 8191);
	fixture_read_aggs(0, &out);
	assert_int_equal(out.n, 5000 * 24);
	for (size_t off = 0; off < out.n; off += 24) {
		assert_int_equal(*(const uint64_t *)(out.p + off + 16), 3);
		seen += *(const uint64_t *)(out.p + off + 8) / 8191;
	}
	assert_int_equal(seen, 5000 * 4999 / 2);
	bytes_free(&out);
}

/*
 * Keys that all fall into one bucket do not make firings slow: entries beyond the bound are counted
 * as drops.
 */
static void a_chain_is_bounded(void **state)
{
	static const struct build_action acts[] = {{.kind = DTRACEACT_DIFEXPR, .difo = VALUE},
						   {.kind = DTRACEAGG_COUNT, .ntuple = 2},
						   ACT_END};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	fix.state->cpus[0].aggs.nbuckets = 1;
	fix.state->cpus[0].aggs.off = 8;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 100; i++)
			fixture_fire(fix.a, (uint64_t)i);
	assert_int_equal(fixture_status().dtst_aggdrops, 2 * (100 - 64));
	assert_int_equal(fixture_read_aggs(0, &out).dtbd_drops, 2 * (100 - 64));
	assert_int_equal(out.n, 64 * 24);
	assert_int_equal(*(const uint64_t *)(out.p + 16), 2);
	bytes_free(&out);
}

static void aggregations_are_shared_by_the_probes_of_a_clause(void **state)
{
	static const struct build_action acts[] = {{.kind = DTRACEAGG_COUNT, .ntuple = 1}, ACT_END};
	uint32_t section = build_actions(&fix.dof, acts, 1);
	struct bytes out = {0};

	(void)state;
	build_clause(&fix.dof, "test:::a", NULL, section, 0);
	build_clause(&fix.dof, "test:::b", NULL, section, 0);
	fixture_go();
	fixture_fire(fix.a, 0);
	fixture_fire(fix.b, 0);
	assert_int_equal(values(&out, 1)[0], 2);
	bytes_free(&out);
}

static void stacks_as_keys(void **state)
{
	static const uint64_t pcs[] = {0x11, 0x22};
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_USTACK, .arg = DTRACE_USTACK_ARG(3, 0)},
		{.kind = DTRACEACT_STACK, .arg = 3},
		{.kind = DTRACEACT_SYM, .difo = VALUE},
		{.kind = DTRACEAGG_COUNT, .ntuple = 4},
		ACT_END};
	struct bytes out = {0};

	(void)state;
	port_user_world.pcs = pcs;
	port_user_world.npcs = 2;
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	fixture_fire(fix.a, 1);
	fixture_fire(fix.a, 1);
	port_user_world.npcs = 1;
	fixture_fire(fix.a, 1);
	fixture_read_aggs(0, &out);
	assert_int_equal(build_aggrec(&out, 0)->dtar_size, 8 + 32 + 24 + 8 + 8);
	assert_non_null(build_aggrec(&out, 1));
	assert_null(build_aggrec(&out, 2));
	bytes_free(&out);
}

#define FAULT "ldub %r0, %r1; ret %r1"

/* A clause of which one part faults: its predicate, 0, or an action, by its number. */
static void fault_in(uint64_t number, struct bytes *out)
{
	const char *of[] = {NULL, VALUE, VALUE, VALUE, VALUE, VALUE};
	static const struct build_action tell[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg2, %r1; ret %r1"}, ACT_END};

	of[number] = FAULT;
	const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = of[1]},
		{.kind = DTRACEACT_DIFEXPR, .difo = of[2]},
		{.kind = DTRACEACT_DIFEXPR, .difo = of[3]},
		{.kind = DTRACEACT_DIFEXPR, .difo = of[4], .arg = DTRACE_AGG_WEIGHT},
		{.kind = DTRACEAGG_QUANTIZE, .ntuple = 4, .difo = of[5]},
		ACT_END};
	fixture_clause("test:::a", of[0], acts);
	fixture_clause("dtrace:::ERROR", NULL, tell);
	fixture_go();
	fixture_fire(fix.a, 1);
	out->n = 0;
	fixture_read(0, out);
}

static void a_fault_names_its_action(void **state)
{
	struct bytes out = {0};

	(void)state;
	for (uint64_t number = 0; number <= 5; number++) {
		fixture_session(DTRACE_PRIV_ALL, 0);
		fault_in(number, &out);
		assert_int_equal(fixture_u64(build_record(&out, 0), 0), number);
		assert_int_equal(fixture_read_aggs(0, &out).dtbd_size, 0);
	}
	bytes_free(&out);
}

#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(simple_functions),
		T(min_and_max_of_one_sign),
		T(squares_of_128_bits),
		T(quantize_buckets),
		T(lquantize_buckets),
		T(llquantize_buckets),
		T(weights),
		T(keys_and_descriptions),
		T(snapshots_give_what_is_new),
		T(values_go_to_entries_in_turn),
		T(strings_take_what_they_need),
		T(programs_cannot_change_the_size),
		T(a_full_buffer_drops_and_counts),
		T(many_keys),
		T(a_chain_is_bounded),
		T(aggregations_are_shared_by_the_probes_of_a_clause),
		T(stacks_as_keys),
		T(a_fault_names_its_action),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
