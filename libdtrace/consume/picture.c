/* SPDX-License-Identifier: MIT */
/*
 * picture.c - what values of aggregations come to: numbers, and distributions as the classic
 * picture of rows with bars.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "consume.h"

#define BAR		40	/* columns of a full bar */
#define LABEL		24

/* A distribution: buckets with their labels, whatever function made it. */
struct dist {
	const char *counts;			/* n words */
	int n, first, last;			/* rows to show */
	dtrace_actkind_t func;
	uint64_t arg;				/* of lquantize, llquantize */
	uint64_t normal;
	long double total, top;			/* sum and largest of the absolute counts */
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

/* Deviation from 128-bit sums, without losing what large values have in common. */
static int64_t deviation(const void *value)
{
	int64_t n = word(value, 0), sum = word(value, 1);
	unsigned __int128 squares =
		(unsigned __int128)(uint64_t)word(value, 3) << 64 | (uint64_t)word(value, 2);
	long double mean, var;

	if (n == 0)
		return 0;
	mean = (long double)sum / n;
	var = (long double)squares / n - mean * mean;
	return var > 0 ? (int64_t)sqrtl(var) : 0;
}

int64_t dt_agg_number(dtrace_actkind_t func, const void *value, uint64_t normal)
{
	int64_t div = (int64_t)normal;

	switch (func) {
	case DTRACEAGG_AVG:
		return word(value, 0) == 0 ? 0 : word(value, 1) / div / word(value, 0);
	case DTRACEAGG_STDDEV:
		return (uint64_t)deviation(value) / normal;
	default:
		return word(value, 0) / div;
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

/* The lower bound of bucket i of llquantize(); past the last: the upper bound of all. */
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
 * The rows from the first to the last count, and one more at each end; a few if there is no count.
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

static void dist_init(struct dist *ds, dtrace_actkind_t func, const void *value, size_t size,
		      uint64_t normal)
{
	bool head = func != DTRACEAGG_QUANTIZE;

	memset(ds, 0, sizeof(*ds));
	ds->func = func;
	ds->normal = normal;
	ds->arg = head ? (uint64_t)word(value, 0) : 0;
	ds->counts = (const char *)value + (head ? sizeof(int64_t) : 0);
	ds->n = size / sizeof(int64_t) - head;
	for (int i = 0; i < ds->n; i++) {
		int64_t count = word(ds->counts, i);
		long double size_ = fabsl((long double)count);

		ds->positives |= count > 0;
		ds->negatives |= count < 0;
		ds->total += size_;
		if (size_ > ds->top)
			ds->top = size_;
	}
	dist_range(ds);
}

long double dt_agg_weight(dtrace_actkind_t func, const void *value, size_t size)
{
	long double sum = 0;
	struct dist ds;

	if (func == DTRACEAGG_AVG)
		return word(value, 0) == 0 ? 0 : (long double)word(value, 1) / word(value, 0);
	if (!dt_picture(func))
		return dt_agg_number(func, value, 1);
	dist_init(&ds, func, value, size, 1);
	for (int i = 0; i < ds.n; i++)
		sum += (long double)word(ds.counts, i) * (i == 0 && func != DTRACEAGG_QUANTIZE ?
								  dist_bound(&ds, 1) - 1 :
								  dist_bound(&ds, i));
	return sum;
}

/* ---- bars ---- */

/* Columns for a count, of len for all of them (with aggzoom: for the largest). */
static int bar_depth(long double count, long double whole, int len)
{
	return whole == 0 ? 0 : (int)(fabsl(count) * len / whole + 0.5L);
}

static void bar_chars(FILE *fp, char c, int n)
{
	while (n-- > 0)
		fputc(c, fp);
}

/* A bar to the right of the line, to the left of it, or on its side of one in the middle. */
static void bar_print(FILE *fp, int64_t count, long double whole, bool positives, bool negatives)
{
	int len = positives && negatives ? BAR / 2 : BAR, depth = bar_depth(count, whole, len);

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
}

static void dist_rows(FILE *fp, const struct dist *ds, bool zoom)
{
	char label[LABEL];

	fprintf(fp, "\n%16s %41s %-9s\n", "value", "------------- Distribution -------------",
		"count");
	for (int i = ds->first; i <= ds->last; i++) {
		int64_t count = word(ds->counts, i);

		dist_label(ds, i, label);
		fprintf(fp, "%16s ", label);
		bar_print(fp, count, zoom ? ds->top : ds->total, ds->positives, ds->negatives);
		fprintf(fp, " %-9" PRId64 "\n", count / (int64_t)ds->normal);
	}
}

/* aggpack: all in one line, a character per bucket, the darker the more. */
static void dist_packed(FILE *fp, const struct dist *ds, bool zoom)
{
	static const char shades[] = " .:-=+*#%@";
	char label[LABEL];

	dist_label(ds, ds->first, label);
	fprintf(fp, "%6s :", label);
	for (int i = ds->first; i <= ds->last; i++) {
		int64_t count = word(ds->counts, i);
		int shade = bar_depth(count, zoom ? ds->top : ds->total, sizeof(shades) - 2);

		fputc(count != 0 && shade == 0 ? shades[1] : shades[shade], fp);
	}
	dist_label(ds, ds->last, label);
	fprintf(fp, ": %-6s | %" PRId64, label, (int64_t)(ds->total / ds->normal));
}

void dt_picture_print(dtrace_hdl_t *dtp, FILE *fp, dtrace_actkind_t func, const void *value,
		      size_t size, uint64_t normal)
{
	bool zoom = dt_option(dtp, DTRACEOPT_AGGZOOM) == 1;
	struct dist ds;

	dist_init(&ds, func, value, size, normal);
	if (dt_option(dtp, DTRACEOPT_AGGPACK) == 1)
		dist_packed(fp, &ds, zoom);
	else
		dist_rows(fp, &ds, zoom);
}

void dt_picture_walk(dtrace_actkind_t func, const void *value, size_t size, uint64_t normal,
		     dt_bucket_f *each, void *ctx)
{
	struct dist ds;

	dist_init(&ds, func, value, size, normal);
	for (int i = ds.first; i <= ds.last; i++) {
		bool ends = func != DTRACEAGG_QUANTIZE;
		struct dt_bucket bucket = { .count = word(ds.counts, i) / (int64_t)normal };

		bucket.open = ends && i == 0 ? -1 : ends && i == ds.n - 1 ? 1 : 0;
		bucket.bound = dist_bound(&ds, bucket.open < 0 ? 1 : i);
		each(&bucket, ctx);
	}
}
