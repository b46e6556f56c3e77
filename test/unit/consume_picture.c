/* SPDX-License-Identifier: MIT */
/*
 * consume_picture.c - distributions are drawn as classic DTrace draws them, and numbers come out of
 * their sums.
 */
#include <string.h>
#include "consume_fake.h"

#define HEADER "\n           value  ------------- Distribution ------------- count    \n"
#define BAR40  "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
#define NONE40 "                                        "

struct picture {
	dtrace_actkind_t func;
	int64_t *words;
	size_t n;
	uint64_t normal;
};

static void draw(FILE *fp, void *arg)
{
	struct picture *pic = arg;

	dt_picture_print(dtp, fp, pic->func, pic->words, pic->n * sizeof(int64_t), pic->normal);
}

static const char *drawn(dtrace_actkind_t func, int64_t *words, size_t n, uint64_t normal)
{
	struct picture pic = {func, words, n, normal};

	return captured(draw, &pic);
}

static void quantize_shows_a_row_more_at_each_end(void **state)
{
	int64_t words[DTRACE_QUANTIZE_NBUCKETS] = {0};

	(void)state;
	words[DTRACE_QUANTIZE_ZEROBUCKET + 1] = 3;
	words[DTRACE_QUANTIZE_ZEROBUCKET + 3] = 1;
	assert_string_equal(drawn(DTRACEAGG_QUANTIZE, words, DTRACE_QUANTIZE_NBUCKETS, 1), HEADER
			    "               0 |" NONE40 " 0        \n"
			    "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        \n"
			    "               2 |" NONE40 " 0        \n"
			    "               4 |@@@@@@@@@@                               1        \n"
			    "               8 |" NONE40 " 0        \n");
}

static void quantize_without_counts_shows_zero(void **state)
{
	int64_t words[DTRACE_QUANTIZE_NBUCKETS] = {0};

	(void)state;
	assert_string_equal(drawn(DTRACEAGG_QUANTIZE, words, DTRACE_QUANTIZE_NBUCKETS, 1),
			    HEADER "              -1 |" NONE40 " 0        \n"
				   "               0 |" NONE40 " 0        \n"
				   "               1 |" NONE40 " 0        \n");
}

static void negative_and_positive_counts_share_a_line(void **state)
{
	int64_t words[DTRACE_QUANTIZE_NBUCKETS] = {0};

	(void)state;
	words[DTRACE_QUANTIZE_ZEROBUCKET] = -1;
	words[DTRACE_QUANTIZE_ZEROBUCKET + 1] = 1;
	assert_string_equal(
		drawn(DTRACEAGG_QUANTIZE, words, DTRACE_QUANTIZE_NBUCKETS, 1),
		HEADER "              -1                     |                     0        \n"
		       "               0           @@@@@@@@@@|                     -1       \n"
		       "               1                     |@@@@@@@@@@           1        \n"
		       "               2                     |                     0        \n");
}

static void negative_counts_alone_grow_leftwards(void **state)
{
	int64_t words[DTRACE_QUANTIZE_NBUCKETS] = {0};

	(void)state;
	words[DTRACE_QUANTIZE_NBUCKETS - 1] = -2;
	assert_non_null(strstr(drawn(DTRACEAGG_QUANTIZE, words, DTRACE_QUANTIZE_NBUCKETS, 1),
			       " " BAR40 "| -2       \n"));
}

static void lquantize_names_its_ends(void **state)
{
	int64_t words[] = {DTRACE_LQUANTIZE_ARG(-10, 3, 10), 1, 0, 0, 2, 1};

	(void)state;
	assert_string_equal(
		drawn(DTRACEAGG_LQUANTIZE, words, 6, 1),
		HEADER "           < -10 |@@@@@@@@@@                               1        \n"
		       "             -10 |" NONE40 " 0        \n"
		       "               0 |" NONE40 " 0        \n"
		       "              10 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
		       "           >= 20 |@@@@@@@@@@                               1        \n");
}

static void llquantize_steps_grow_with_magnitude(void **state)
{
	/* factor 10, magnitudes 0 and 1, 10 steps: < 1, 1..9 by 1, 10..90 by 10, >= 100 */
	int64_t words[1 + 20] = {DTRACE_LLQUANTIZE_ARG(10, 0, 1, 10)};
	const char *text;

	(void)state;
	words[1 + 9] = 1;
	words[1 + 10] = 1;
	words[1 + 19] = 2;
	text = drawn(DTRACEAGG_LLQUANTIZE, words, 21, 1);
	assert_non_null(strstr(
		text, "\n               8 |" NONE40 " 0        \n"
		      "               9 |@@@@@@@@@@                               1        \n"
		      "              10 |@@@@@@@@@@                               1        \n"
		      "              20 |"));
	assert_non_null(strstr(
		text, "              90 |" NONE40 " 0        \n"
		      "          >= 100 |@@@@@@@@@@@@@@@@@@@@                     2        \n"));
}

static void counts_are_normalized_and_bars_are_not(void **state)
{
	int64_t words[DTRACE_QUANTIZE_NBUCKETS] = {0};

	(void)state;
	words[DTRACE_QUANTIZE_ZEROBUCKET + 1] = 100;
	assert_non_null(strstr(drawn(DTRACEAGG_QUANTIZE, words, DTRACE_QUANTIZE_NBUCKETS, 10),
			       "|" BAR40 " 10       \n"));
}

static void numbers_come_from_sums(void **state)
{
	/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, deviation 2 */
	int64_t sums[] = {8, 40, 232, 0}, avg[] = {4, 10}, none[4] = {0};

	(void)state;
	assert_int_equal(dt_agg_number(DTRACEAGG_STDDEV, sums, 1), 2);
	assert_int_equal(dt_agg_number(DTRACEAGG_AVG, avg, 1), 2);
	assert_int_equal(dt_agg_number(DTRACEAGG_AVG, none, 1), 0);
	assert_int_equal(dt_agg_number(DTRACEAGG_STDDEV, none, 1), 0);
	assert_int_equal(dt_agg_number(DTRACEAGG_SUM, &(int64_t){-100}, 10), -10);
}

/* A process that is traced without the module can write any numbers. */
static void numbers_that_no_firing_makes_do_no_harm(void **state)
{
	int64_t avg[] = {-1, INT64_MIN}, sums[] = {-1, INT64_MIN, 0, 0};
	int64_t words[DTRACE_QUANTIZE_NBUCKETS] = {INT64_MIN};

	(void)state;
	assert_int_equal(dt_agg_number(DTRACEAGG_AVG, avg, 1), INT64_MIN);
	dt_agg_number(DTRACEAGG_STDDEV, sums, 1);
	assert_int_equal(dt_agg_number(DTRACEAGG_SUM, &(int64_t){INT64_MIN}, (uint64_t)-1),
			 INT64_MIN);
	assert_non_null(
		strstr(drawn(DTRACEAGG_QUANTIZE, words, DTRACE_QUANTIZE_NBUCKETS, (uint64_t)-1),
		       "-9223372036854775808"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantize_shows_a_row_more_at_each_end),
		cmocka_unit_test(quantize_without_counts_shows_zero),
		cmocka_unit_test(negative_and_positive_counts_share_a_line),
		cmocka_unit_test(negative_counts_alone_grow_leftwards),
		cmocka_unit_test(lquantize_names_its_ends),
		cmocka_unit_test(llquantize_steps_grow_with_magnitude),
		cmocka_unit_test(counts_are_normalized_and_bars_are_not),
		cmocka_unit_test(numbers_come_from_sums),
		cmocka_unit_test(numbers_that_no_firing_makes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, fake_setup, fake_teardown);
}
