/* SPDX-License-Identifier: MIT */
/*
 * picture.c - values of aggregations as numbers, and distributions as the classic rows with bars.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "consume.h"

#define BAR   40 /* columns of a full bar */
#define LABEL 24
#define ZOOM  0.95L /* of a full bar for the highest, with aggzoom */

/* A distribution: buckets with their labels, whatever function made it. */
struct dist {
	const char *counts; /* n words */
	int n, first, last; /* rows to show */
	dtrace_actkind_t func;
	uint64_t arg; /* of lquantize, llquantize */
	uint64_t normal;
	long double total; /* of what bars are parts */
	bool positives, negatives;
};

static int64_t word(const void *p, size_t i)
{
	int64_t w;

	memcpy(&w, (const char *)p + i * sizeof(w), sizeof(w));
	return w;
}

bool dt_picture(dtrace_actkind_t func)
{
	return func == DTRACEAGG_QUANTIZE || func == DTRACEAGG_LQUANTIZE ||
	       func == DTRACEAGG_LLQUANTIZE;
}

/*
 * Divide a number by another number that is not 0. The smallest number by -1 would not fit; a
 * process that is traced without the module can write both.
 */
static int64_t quotient(int64_t number, int64_t by)
{
	return by == -1 ? (int64_t)(0 - (uint64_t)number) : number / by;
}

/* Return the largest integer whose square is not above n. */
static uint64_t root(unsigned __int128 n)
{
	uint64_t r = 0;

	for (int bit = 63; bit >= 0; bit--) {
		uint64_t more = r | UINT64_C(1) << bit;

		if ((unsigned __int128)more * more <= n)
			r = more;
	}
	return r;
}

/*
 * Return the deviation in integers: the mean of the squares less the square of the mean, each
 * rounded towards zero, each of the normalized values.
 */
static uint64_t deviation(const void *value, uint64_t normal)
{
	int64_t n = word(value, 0), mean;
	uint64_t size;
	unsigned __int128 squares =
		(unsigned __int128)(uint64_t)word(value, 3) << 64 | (uint64_t)word(value, 2);

	if (n == 0)
		return 0;
	squares = squares / normal / normal / (uint64_t)n;
	mean = quotient(quotient(word(value, 1), (int64_t)normal), n);
	size = mean < 0 ? 0 - (uint64_t)mean : (uint64_t)mean;
	return root(squares - (unsigned __int128)size * size);
}

int64_t dt_agg_number(dtrace_actkind_t func, const void *value, uint64_t normal)
{
	int64_t div = (int64_t)normal;

	switch (func) {
	case DTRACEAGG_AVG:
		return word(value, 0) == 0
			       ? 0
			       : quotient(quotient(word(value, 1), div), word(value, 0));
	case DTRACEAGG_STDDEV:
		return deviation(value, normal);
	default:
		return quotient(word(value, 0), div);
	}
}

/* ---- buckets ---- */

static void ll_step(uint64_t arg, int mag, uint64_t *width, int *buckets, uint64_t *start)
{
	uint64_t factor = DTRACE_LLQUANTIZE_FACTOR(arg), steps = DTRACE_LLQUANTIZE_NSTEP(arg), next;

	*start = 1;
	for (int i = 0; i < mag; i++)
		*start *= factor;
	next = *start * factor;
	*width = next > steps ? next / steps : 1;
	*buckets = (next - *start) / *width;
}

size_t dt_picture_size(dtrace_actkind_t func, uint64_t arg)
{
	size_t words = 3; /* the function's argument, and what is below and above all */
	uint64_t width, start;
	int buckets;

	if (func == DTRACEAGG_QUANTIZE)
		return DTRACE_QUANTIZE_NBUCKETS * sizeof(uint64_t);
	if (func == DTRACEAGG_LQUANTIZE)
		return (words + DTRACE_LQUANTIZE_LEVELS(arg)) * sizeof(uint64_t);
	for (int mag = DTRACE_LLQUANTIZE_LOW(arg); mag <= DTRACE_LLQUANTIZE_HIGH(arg); mag++) {
		ll_step(arg, mag, &width, &buckets, &start);
		words += (size_t)buckets;
	}
	return words * sizeof(uint64_t);
}

/*
 * Return the lower bound of bucket i of llquantize(); behind the last bucket, the upper bound of
 * all.
 */
static int64_t ll_bound(uint64_t arg, int i)
{
	uint64_t width, start = 0;
	int buckets;

	i--;
	for (int mag = DTRACE_LLQUANTIZE_LOW(arg); mag <= DTRACE_LLQUANTIZE_HIGH(arg); mag++) {
		ll_step(arg, mag, &width, &buckets, &start);
		if (i < buckets)
			return start + i * width;
		i -= buckets;
		start *= DTRACE_LLQUANTIZE_FACTOR(arg);
	}
	return start;
}

static int64_t dist_bound(const struct dist *ds, int i)
{
	switch (ds->func) {
	case DTRACEAGG_QUANTIZE:
		return DTRACE_QUANTIZE_BUCKETVAL(i);
	case DTRACEAGG_LQUANTIZE:
		return (int64_t)DTRACE_LQUANTIZE_BASE(ds->arg) +
		       (int64_t)(i - 1) * DTRACE_LQUANTIZE_STEP(ds->arg);
	default:
		return ll_bound(ds->arg, i);
	}
}

static void dist_label(const struct dist *ds, int i, char *text)
{
	if (ds->func == DTRACEAGG_QUANTIZE || (i > 0 && i < ds->n - 1))
		snprintf(text, LABEL, "%" PRId64, dist_bound(ds, i));
	else if (i == 0)
		snprintf(text, LABEL, "< %" PRId64, dist_bound(ds, 1));
	else
		snprintf(text, LABEL, ">= %" PRId64, dist_bound(ds, i));
}

/*
 * Set the range of rows: from the first to the last with a count, and one more at each end. Without
 * counts, it is a few rows.
 */
static void dist_range(struct dist *ds)
{
	int first = 0, last = ds->n - 1;

	while (first < ds->n && word(ds->counts, first) == 0)
		first++;
	while (last >= 0 && word(ds->counts, last) == 0)
		last--;
	if (first == ds->n) {
		first = ds->func == DTRACEAGG_QUANTIZE ? DTRACE_QUANTIZE_ZEROBUCKET : 1;
		last = first;
	}
	ds->first = first > 0 ? first - 1 : 0;
	ds->last = last < ds->n - 1 ? last + 1 : ds->n - 1;
}

void dt_bar_add(dtrace_hdl_t *dtp, int64_t count, long double *total)
{
	long double size = fabsl((long double)count);

	if (dt_option(dtp, DTRACEOPT_AGGZOOM) != 1)
		*total += size;
	else if (size / ZOOM > *total)
		*total = size / ZOOM;
}

static void dist_init(struct dist *ds, dtrace_actkind_t func, const void *value, size_t size,
		      uint64_t normal)
{
	bool head = func != DTRACEAGG_QUANTIZE;

	*ds = (struct dist){
		.func = func,
		.normal = normal,
		.arg = head ? (uint64_t)word(value, 0) : 0,
		.counts = (const char *)value + (head ? sizeof(int64_t) : 0),
		.n = size / sizeof(int64_t) - head,
	};
	dist_range(ds);
}

static void dist_scale(dtrace_hdl_t *dtp, struct dist *ds)
{
	for (int i = ds->first; i <= ds->last; i++) {
		ds->positives |= word(ds->counts, i) > 0;
		ds->negatives |= word(ds->counts, i) < 0;
		dt_bar_add(dtp, word(ds->counts, i), &ds->total);
	}
}

/* Return the value that stands for bucket i when distributions are compared. */
static int64_t dist_middle(const struct dist *ds, int i)
{
	if (ds->func == DTRACEAGG_QUANTIZE)
		return dist_bound(ds, i);
	if (i == 0)
		return dist_bound(ds, 1) - 1;
	return dist_bound(ds, i) + (i == ds->n - 1);
}

struct dt_weight dt_agg_weight(dtrace_actkind_t func, const void *value, size_t size)
{
	struct dt_weight weight = {0};
	struct dist ds;

	if (func == DTRACEAGG_AVG)
		weight.sum = word(value, 0) == 0 ? 0 : (long double)word(value, 1) / word(value, 0);
	else if (!dt_picture(func))
		weight.sum = dt_agg_number(func, value, 1);
	if (!dt_picture(func))
		return weight;
	dist_init(&ds, func, value, size, 1);
	for (int i = 0; i < ds.n; i++) {
		weight.sum += (long double)word(ds.counts, i) * dist_middle(&ds, i);
		if (dist_middle(&ds, i) == 0)
			weight.zero = word(ds.counts, i);
	}
	return weight;
}

/* ---- bars ---- */

static int bar_depth(long double count, long double total, int len)
{
	return total == 0 ? 0 : (int)(fabsl(count) * len / total + 0.5L);
}

static void bar_chars(FILE *fp, char c, int n)
{
	while (n-- > 0)
		fputc(c, fp);
}

void dt_bar_print(FILE *fp, int64_t count, uint64_t normal, long double total, bool positives,
		  bool negatives)
{
	int len = positives && negatives ? BAR / 2 : BAR, depth = bar_depth(count, total, len);

	if (!negatives) {
		fputc('|', fp);
		bar_chars(fp, '@', depth);
		bar_chars(fp, ' ', len - depth);
	} else if (!positives) {
		bar_chars(fp, ' ', len - depth);
		bar_chars(fp, '@', depth);
		fputc('|', fp);
	} else {
		bar_chars(fp, ' ', count < 0 ? len - depth : len);
		bar_chars(fp, '@', count < 0 ? depth : 0);
		fputc('|', fp);
		bar_chars(fp, '@', count > 0 ? depth : 0);
		bar_chars(fp, ' ', count > 0 ? len - depth : len);
	}
	fprintf(fp, " %-9" PRId64 "\n", quotient(count, (int64_t)normal));
}

void dt_bar_heading(FILE *fp, int width)
{
	fprintf(fp, "\n%*s %41s %-9s\n", width != 0 ? width : 16, width != 0 ? "key" : "value",
		"------------- Distribution -------------", "count");
}

void dt_picture_print(dtrace_hdl_t *dtp, FILE *fp, dtrace_actkind_t func, const void *value,
		      size_t size, uint64_t normal)
{
	char label[LABEL];
	struct dist ds;

	dist_init(&ds, func, value, size, normal);
	dist_scale(dtp, &ds);
	dt_bar_heading(fp, 0);
	for (int i = ds.first; i <= ds.last; i++) {
		dist_label(&ds, i, label);
		fprintf(fp, "%16s ", label);
		dt_bar_print(fp, word(ds.counts, i), normal, ds.total, ds.positives, ds.negatives);
	}
}

void dt_picture_walk(dtrace_actkind_t func, const void *value, size_t size, uint64_t normal,
		     dt_bucket_f *each, void *ctx)
{
	struct dist ds;

	dist_init(&ds, func, value, size, normal);
	for (int i = ds.first; i <= ds.last; i++) {
		bool ends = func != DTRACEAGG_QUANTIZE;
		struct dt_bucket bucket = {.count = quotient(word(ds.counts, i), (int64_t)normal)};

		bucket.open = ends && i == 0 ? -1 : ends && i == ds.n - 1 ? 1 : 0;
		bucket.bound = dist_bound(&ds, bucket.open < 0 ? 1 : i);
		each(&bucket, ctx);
	}
}
