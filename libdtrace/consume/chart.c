/* SPDX-License-Identifier: MIT */
/*
 * chart.c - aggregations with one line per entry: counts and sums as bars (agghist), distributions
 * as one character per bucket (aggpack). All entries of an aggregation have the same scale.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "consume.h"

#define NBUCKETS   DTRACE_QUANTIZE_NBUCKETS
#define LABELWIDTH 8 /* columns of a bound of lquantize() */
#define SHADES	   8

static int64_t word(const void *p, size_t i)
{
	int64_t w;

	memcpy(&w, (const char *)p + i * sizeof(w), sizeof(w));
	return w;
}

static dtrace_actkind_t entry_func(const dt_aggentry_t *ent)
{
	return dt_agg_vrec(ent->id)->dtrd_action;
}

/* Return the kind of chart for an aggregating function. */
static int chart_kind(dtrace_hdl_t *dtp, dtrace_actkind_t func)
{
	bool hist = dt_option(dtp, DTRACEOPT_AGGHIST) == 1,
	     pack = dt_option(dtp, DTRACEOPT_AGGPACK) == 1;

	switch (func) {
	case DTRACEAGG_COUNT:
	case DTRACEAGG_SUM:
		return hist ? DT_CHART_HIST : DT_CHART_NONE;
	case DTRACEAGG_QUANTIZE:
	case DTRACEAGG_LQUANTIZE:
		return pack ? DT_CHART_PACK : DT_CHART_NONE;
	default:
		return DT_CHART_NONE;
	}
}

/* ---- scale ---- */

static void hist_scale(dtrace_hdl_t *dtp, struct dt_chart *chart, const void *value)
{
	int64_t n = word(value, 0);

	chart->positives |= n > 0;
	chart->negatives |= n < 0;
	dt_bar_add(dtp, n, &chart->total);
}

/* Extend the range of buckets of quantize() to those in which an entry has counts. */
static void pack_scale(struct dt_chart *chart, const void *value)
{
	for (int i = 0; i < NBUCKETS; i++) {
		if (word(value, i) == 0)
			continue;
		if (i < chart->first)
			chart->first = i;
		if (i > chart->last)
			chart->last = i;
	}
}

/* Add a bucket at each end, but none below zero unless there are values below zero. */
static void pack_widen(struct dt_chart *chart)
{
	if (chart->last == -1)
		chart->first = chart->last = DTRACE_QUANTIZE_ZEROBUCKET;
	if (chart->first > 0 && chart->first != DTRACE_QUANTIZE_ZEROBUCKET)
		chart->first--;
	if (chart->last < NBUCKETS - 1)
		chart->last++;
}

static void chart_scale(dtrace_hdl_t *dtp, struct dt_chart *chart, dtrace_actkind_t func)
{
	size_t n;
	dt_aggentry_t **list = dt_aggs_sorted(dtp, chart->var, &n);

	chart->total = 0;
	chart->positives = chart->negatives = false;
	chart->first = NBUCKETS;
	chart->last = -1;
	for (size_t i = 0; list && i < n; i++)
		if (chart->kind == DT_CHART_HIST)
			hist_scale(dtp, chart, dt_agg_value(list[i]));
		else if (func == DTRACEAGG_QUANTIZE)
			pack_scale(chart, dt_agg_value(list[i]));
	pack_widen(chart);
	free(list);
}

/* ---- titles ---- */

/* Return the width of an entry's keys in a chart, in columns. */
static int keys_width(const dt_aggentry_t *ent)
{
	int width = 0;

	for (uint32_t i = 0; i + 1 < ent->id->desc.dtagd_nrecs; i++) {
		uint32_t size = ent->id->recs[i].dtrd_size;

		width += 1 + (size == 1 ? 3 : size == 2 ? 5 : size == 4 ? 8 : DT_CHART_KEYWIDTH);
	}
	return width;
}

/* Return the width of a bound of quantize(), in columns: at least four. */
static int bound_width(int bucket)
{
	int n = snprintf(NULL, 0, "%" PRId64, (int64_t)DTRACE_QUANTIZE_BUCKETVAL(bucket));

	return n < 4 ? 4 : n;
}

static void pack_heading(FILE *fp, const struct dt_chart *chart, const dt_aggentry_t *ent)
{
	int width = keys_width(ent), min = LABELWIDTH - 1, max = LABELWIDTH, n;

	if (entry_func(ent) == DTRACEAGG_QUANTIZE) {
		min = bound_width(chart->first);
		max = bound_width(chart->last);
		n = chart->last - chart->first + 1;
	} else {
		n = DTRACE_LQUANTIZE_LEVELS(word(dt_agg_value(ent), 0)) + 2;
	}
	fprintf(fp, "\n%*s %*s .", width, width > 0 ? "key" : "", min, "min");
	while (n-- > 0)
		fputc('-', fp);
	fprintf(fp, ". %-*s | count\n", max, "max");
}

bool dt_chart_set(dtrace_hdl_t *dtp, FILE *fp, struct dt_chart *chart, const dt_aggentry_t *ent)
{
	if (chart->var == ent->id->var)
		return chart->kind != DT_CHART_NONE;
	chart->var = ent->id->var;
	chart->kind = chart_kind(dtp, entry_func(ent));
	if (chart->kind == DT_CHART_NONE)
		return false;
	chart_scale(dtp, chart, entry_func(ent));
	if (chart->kind == DT_CHART_HIST)
		dt_bar_heading(fp, keys_width(ent));
	else
		pack_heading(fp, chart, ent);
	return true;
}

/* ---- lines ---- */

/* Return whether block elements may be printed. Only a few terminals are known not to have them. */
static bool pack_utf8(dtrace_hdl_t *dtp)
{
	static const char *const plain[] = {"sun", "sun-color", "dumb"};
	const char *term = getenv("TERM");

	if (dtp->copts[DT_COPT_ENCODING] != DT_ENCODING_AUTO)
		return dtp->copts[DT_COPT_ENCODING] == DT_ENCODING_UTF8;
	for (size_t i = 0; term && i < sizeof(plain) / sizeof(*plain); i++)
		if (strcmp(term, plain[i]) == 0)
			return false;
	return true;
}

/* Print a bucket: the larger its part of the total, the fuller the character. */
static void pack_char(FILE *fp, int64_t count, long double total, bool utf8)
{
	static const char ascii[SHADES + 1] = "__xxxxXX", negative[] = "vvvvVV";
	long double part = total == 0 ? 0 : fabsl((long double)count) / total;

	if (count == 0)
		fputc(' ', fp);
	else if (count < 0)
		fputc(negative[(int)(part * (sizeof(negative) - 2) + 0.5L)], fp);
	else if (utf8)
		fprintf(fp, "\xe2\x96%c", 0x81 + (int)(part * (SHADES - 1) + 0.5L));
	else
		fputc(ascii[(int)(part * (SHADES - 1) + 0.5L)], fp);
}

static void pack_line(dtrace_hdl_t *dtp, FILE *fp, const void *counts, int first, int last)
{
	bool utf8 = pack_utf8(dtp);
	long double total = 0;

	for (int i = first; i <= last; i++)
		dt_bar_add(dtp, word(counts, i), &total);
	for (int i = first; i <= last; i++)
		pack_char(fp, word(counts, i), total, utf8);
}

static int64_t pack_count(const void *counts, int first, int last)
{
	int64_t n = 0;

	for (int i = first; i <= last; i++)
		n += word(counts, i);
	return n;
}

static void pack_quantize(dtrace_hdl_t *dtp, FILE *fp, const struct dt_chart *chart,
			  const void *value)
{
	int first = chart->first, last = chart->last;

	fprintf(fp, " %*" PRId64 " :", bound_width(first),
		(int64_t)DTRACE_QUANTIZE_BUCKETVAL(first));
	pack_line(dtp, fp, value, first, last);
	fprintf(fp, ": %-*" PRId64 " | %" PRId64 "\n", bound_width(last),
		(int64_t)DTRACE_QUANTIZE_BUCKETVAL(last), pack_count(value, first, last));
}

static void pack_lquantize(dtrace_hdl_t *dtp, FILE *fp, const void *value)
{
	uint64_t arg = word(value, 0);
	int base = DTRACE_LQUANTIZE_BASE(arg), levels = DTRACE_LQUANTIZE_LEVELS(arg);
	const char *counts = (const char *)value + sizeof(uint64_t);
	char bound[32];

	snprintf(bound, sizeof(bound), "< %d", base);
	fprintf(fp, "%*s :", LABELWIDTH, bound);
	pack_line(dtp, fp, counts, 0, levels + 1);
	snprintf(bound, sizeof(bound), ">= %d", base + levels * DTRACE_LQUANTIZE_STEP(arg));
	fprintf(fp, ": %-*s | %" PRId64 "\n", LABELWIDTH, bound, pack_count(counts, 0, levels + 1));
}

void dt_chart_print(dtrace_hdl_t *dtp, FILE *fp, const struct dt_chart *chart,
		    const dt_aggentry_t *ent)
{
	const void *value = dt_agg_value(ent);

	if (chart->kind == DT_CHART_HIST) {
		fputc(' ', fp);
		dt_bar_print(fp, word(value, 0), ent->normal, chart->total, chart->positives,
			     chart->negatives);
	} else if (entry_func(ent) == DTRACEAGG_QUANTIZE) {
		pack_quantize(dtp, fp, chart, value);
	} else {
		pack_lquantize(dtp, fp, value);
	}
}
