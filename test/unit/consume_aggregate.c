/* SPDX-License-Identifier: MIT */
/*
 * consume_aggregate.c - entries of all CPUs and clauses are added up by key, sorted, truncated,
 * normalised, joined and printed.
 */
#include <stdlib.h>
#include <string.h>
#include "consume_fake.h"

#define STRKEY	16		/* bytes of a string key */

static dt_difo_t strdifo = { .rtype = { .dtdt_kind = DIF_TYPE_STRING } }, intdifo;
static dt_action_t stractions[] = { { .kind = DTRACEACT_DIFEXPR, .difo = &strdifo },
				    { .kind = DTRACEAGG_COUNT } };
static dt_action_t intactions[] = { { .kind = DTRACEACT_DIFEXPR, .difo = &intdifo },
				    { .kind = DTRACEAGG_SUM } };
static dt_aggvar_t vars[3] = { { .name = "a", .id = 1 },
			       { .name = "b", .id = 2 },
			       { .name = "c", .id = 3 } };
static dt_aggvar_t *varlist[] = { &vars[0], &vars[1], &vars[2] };

/* An entry with a string key, and one with an integer key. */
struct strent {
	struct dtrace_aggrec hdr;
	char key[STRKEY];
	int64_t value;
};
struct intent {
	struct dtrace_aggrec hdr;
	int64_t key;
	int64_t value;
};

static void add_str(dtrace_aggid_t id, const char *key, int64_t value)
{
	struct strent ent = { { id, sizeof(ent) }, "", value };

	strncpy(ent.key, key, sizeof(ent.key));
	assert_int_equal(dt_aggs_add(dtp, &ent, sizeof(ent)), 0);
}

static void add_int(dtrace_aggid_t id, int64_t key, int64_t value)
{
	struct intent ent = { { id, sizeof(ent) }, key, value };

	assert_int_equal(dt_aggs_add(dtp, &ent, sizeof(ent)), 0);
}

/* Describe aggregation id of a variable. */
static void describe(dtrace_aggid_t id, int var, dt_action_t *actions, dtrace_actkind_t func,
		     uint32_t keysize)
{
	dt_stmt_t *stmt = fake_stmt(DT_STMT_AGG, actions, 2);
	dtrace_recdesc_t recs[2] = {
		{ .dtrd_action = DTRACEACT_DIFEXPR,
		  .dtrd_offset = 8,
		  .dtrd_size = keysize,
		  .dtrd_uarg = stmt->id },
		{ .dtrd_action = func,
		  .dtrd_offset = 8 + keysize,
		  .dtrd_size = 8,
		  .dtrd_uarg = stmt->id },
	};

	stmt->aggs = &varlist[var];
	stmt->naggs = 1;
	fake_agg(id, recs, 2, 16 + keysize);
}

static void print_all(FILE *fp, void *arg)
{
	(void)arg;
	assert_int_equal(dtrace_aggregate_print(dtp, fp, NULL), 0);
	fflush(fp);
}

static void print_joined(FILE *fp, void *arg)
{
	dt_stmt_t stmt = { .kind = DT_STMT_PRINTA, .aggs = varlist, .naggs = 2, .format = arg };
	struct dt_consumer con = { .fp = fp };

	assert_int_equal(dt_printa(dtp, &con, &stmt), 0);
}

static void entries_add_up_by_key(void **state)
{
	(void)state;
	add_str(1, "bash", 2);
	add_str(1, "cat", 1);
	add_str(1, "bash", 3);
	assert_string_equal(
		captured(print_all, NULL),
		"  cat                                                               1\n"
		"  bash                                                              5\n");
}

static void integer_keys_have_their_own_columns(void **state)
{
	(void)state;
	add_int(2, -7, 100);
	assert_string_equal(captured(print_all, NULL), "               -7              100\n");
}

static void values_sort_first_and_keys_break_ties(void **state)
{
	(void)state;
	add_int(2, 2, 5);
	add_int(2, 1, 5);
	add_int(2, 3, -5);
	assert_string_equal(captured(print_all, NULL), "                3               -5\n"
						       "                1                5\n"
						       "                2                5\n");
	dtrace_setopt(dtp, "aggsortkey", NULL);
	dtrace_setopt(dtp, "aggsortrev", NULL);
	assert_string_equal(captured(print_all, NULL), "                3               -5\n"
						       "                2                5\n"
						       "                1                5\n");
}

static void min_and_max_keep_the_extremes(void **state)
{
	(void)state;
	add_int(3, 0, 5);
	add_int(3, 0, -2);
	add_int(3, 0, 9);
	assert_string_equal(captured(print_all, NULL), "                0               -2\n");
	dt_agg_clear(dtp, &vars[2]);
	assert_string_equal(captured(print_all, NULL), "                0                0\n");
	add_int(3, 0, 4);
	assert_string_equal(captured(print_all, NULL), "                0                4\n");
}

static void trunc_keeps_the_largest_or_smallest(void **state)
{
	(void)state;
	for (int i = 1; i <= 5; i++)
		add_int(2, i, 10 * i);
	assert_int_equal(dt_agg_trunc(dtp, &vars[1], 2), 0);
	assert_string_equal(
		captured(print_all, NULL),
		"                4               40\n                5               50\n");
	assert_int_equal(dt_agg_trunc(dtp, &vars[1], -1), 0);
	assert_string_equal(captured(print_all, NULL), "                4               40\n");
	assert_int_equal(dt_agg_trunc(dtp, &vars[1], 0), 0);
	add_int(2, 9, 1);
	assert_string_equal(captured(print_all, NULL), "                9                1\n");
}

static void normalization_divides_until_it_is_undone(void **state)
{
	(void)state;
	add_int(2, 1, 100);
	dt_agg_normalize(dtp, &vars[1], 10);
	assert_string_equal(captured(print_all, NULL), "                1               10\n");
	dt_agg_normalize(dtp, &vars[1], 1);
	assert_string_equal(captured(print_all, NULL), "                1              100\n");
}

static void joined_rows_show_zero_for_what_is_missing(void **state)
{
	dt_conv_t convs[] = {
		{ .text = "", .conv = "s", .width = 4, .prec = -1 },
		{ .text = " ",
		  .textlen = 1,
		  .conv = "d",
		  .flags = DT_CONV_AGG,
		  .width = -1,
		  .prec = -1 },
		{ .text = " ",
		  .textlen = 1,
		  .conv = "u",
		  .flags = DT_CONV_AGG,
		  .width = 3,
		  .prec = -1 },
		{ .text = "\n", .textlen = 1, .width = -1, .prec = -1 },
	};
	struct dt_format format = { .convs = convs, .nconvs = 4 };

	(void)state;
	add_str(1, "x", 3);
	add_str(4, "x", 30);
	add_str(4, "y", 2);
	assert_string_equal(captured(print_joined, &format), "   y 0   2\n   x 3  30\n");
	assert_string_equal(captured(print_joined, NULL),
			    "\n  y                                                                 "
			    "0                2\n"
			    "  x                                                                 3 "
			    "              30\n");
	assert_true(dt_agg_printed(dtp, &vars[0]));
	assert_string_equal(captured(print_all, NULL), "");
}

static int collect(const dtrace_aggdata_t *agg, void *arg)
{
	strcat(arg, agg->dtada_name);
	return strcmp(agg->dtada_name, "a") == 0 ? DTRACE_AGGWALK_REMOVE : DTRACE_AGGWALK_NEXT;
}

static void walks_may_remove(void **state)
{
	char seen[16] = "";

	(void)state;
	add_str(1, "x", 3);
	add_int(2, 1, 1);
	assert_int_equal(dtrace_aggregate_walk_keyvarsorted(dtp, collect, seen), 0);
	assert_string_equal(seen, "ab");
	*seen = '\0';
	assert_int_equal(dtrace_aggregate_walk(dtp, collect, seen), 0);
	assert_string_equal(seen, "b");
}

static void many_keys_are_all_kept(void **state)
{
	size_t n;

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 5000; i++)
			add_int(2, i, 1);
	free(dt_aggs_sorted(dtp, &vars[1], &n));
	assert_int_equal(n, 5000);
}

static void damaged_snapshots_are_refused(void **state)
{
	struct intent ent = { { 2, sizeof(ent) }, 1, 1 };

	(void)state;
	ent.hdr.dtar_size = 16;
	assert_int_equal(dt_aggs_add(dtp, &ent, sizeof(ent)), -1);
	ent.hdr.dtar_size = 4096;
	assert_int_equal(dt_aggs_add(dtp, &ent, sizeof(ent)), -1);
	ent.hdr.dtar_size = sizeof(ent);
	ent.hdr.dtar_id = 15;
	assert_int_equal(dt_aggs_add(dtp, &ent, sizeof(ent)), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_BADDATA);
}

static int setup(void **state)
{
	fake_setup(state);
	describe(1, 0, stractions, DTRACEAGG_COUNT, STRKEY);
	describe(2, 1, intactions, DTRACEAGG_SUM, 8);
	describe(3, 2, intactions, DTRACEAGG_MIN, 8);
	describe(4, 1, stractions, DTRACEAGG_SUM, STRKEY);
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(entries_add_up_by_key),
		TEST(integer_keys_have_their_own_columns),
		TEST(values_sort_first_and_keys_break_ties),
		TEST(min_and_max_keep_the_extremes),
		TEST(trunc_keeps_the_largest_or_smallest),
		TEST(normalization_divides_until_it_is_undone),
		TEST(joined_rows_show_zero_for_what_is_missing),
		TEST(walks_may_remove),
		TEST(many_keys_are_all_kept),
		TEST(damaged_snapshots_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
