/* SPDX-License-Identifier: MIT */
/*
 * printa.c - prints aggregations by a format or in the default form, alone or joined, and passes
 * them to the library's caller.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "output.h"

#define KEYWIDTH 50

/* Return the number of keys of an entry. */
static uint32_t nkeys(const dt_aggentry_t *ent)
{
	return ent->id->desc.dtagd_nrecs - 1;
}

struct dt_arg dt_agg_key(const dt_aggentry_t *ent, uint32_t i)
{
	const dt_difo_t *difo = i < ent->id->stmt->nactions ? ent->id->stmt->actions[i].difo : NULL;
	struct dt_arg arg = {.rec = &ent->id->recs[i],
			     .data = ent->data + ent->id->recs[i].dtrd_offset,
			     .normal = 1};

	if (difo) {
		arg.rtype = &difo->rtype;
		arg.type = difo->type;
	}
	return arg;
}

/* Return the value of an entry as an argument of a format. */
static struct dt_arg value_arg(const dt_aggentry_t *ent)
{
	return (struct dt_arg){
		.rec = dt_agg_vrec(ent->id),
		.data = dt_agg_value(ent),
		.normal = ent->normal,
	};
}

/* Print a key in its column. width is that of keys other than integers (negative: to the left). */
static void key_print(dtrace_hdl_t *dtp, FILE *fp, const dt_aggentry_t *ent, uint32_t i, int width)
{
	struct dt_arg key = dt_agg_key(ent, i);
	char text[DTRACE_FULLNAMELEN];

	switch (key.rec->dtrd_action) {
	case DTRACEACT_STACK:
	case DTRACEACT_USTACK:
	case DTRACEACT_JSTACK:
		fputc('\n', fp);
		dt_frames_print(dtp, fp, key.rec, key.data, dt_indent(dtp), 0);
		return;
	case DTRACEACT_SYM:
	case DTRACEACT_MOD:
	case DTRACEACT_USYM:
	case DTRACEACT_UMOD:
	case DTRACEACT_UADDR:
		dt_symbol_text(dtp, key.rec->dtrd_action, key.data, text, sizeof(text));
		fprintf(fp, "  %-*s", KEYWIDTH, text);
		return;
	default:
		dt_value_print(dtp, fp, key.rtype, key.type, key.data, key.rec->dtrd_size, false,
			       width);
	}
}

static void value_print(dtrace_hdl_t *dtp, FILE *fp, struct dt_arg val)
{
	dtrace_actkind_t func = val.rec->dtrd_action;

	if (dt_picture(func))
		dt_picture_print(dtp, fp, func, val.data, val.rec->dtrd_size, val.normal);
	else
		fprintf(fp, " %16" PRId64, dt_agg_number(func, val.data, val.normal));
}

/*
 * Print an entry in the default form: keys, then the value. chart: of the entries printed with it.
 */
static void dt_agg_print(dtrace_hdl_t *dtp, FILE *fp, struct dt_chart *chart,
			 const dt_aggentry_t *ent)
{
	bool charted = dt_chart_set(dtp, fp, chart, ent);

	for (uint32_t i = 0; i < nkeys(ent); i++)
		key_print(dtp, fp, ent, i, charted ? DT_CHART_KEYWIDTH : -KEYWIDTH);
	if (charted) {
		dt_chart_print(dtp, fp, chart, ent);
		return;
	}
	value_print(dtp, fp, value_arg(ent));
	fputc('\n', fp);
}

/* ---- rows ---- */

/* The output of an aggregation without any data: the result of its function for no values. */
struct missing {
	dtrace_recdesc_t rec;
	uint64_t *data;
};

/*
 * Make the data for an aggregation that has none: a zero, or an empty distribution with the bounds
 * of its function. Return 0, or -1 without memory.
 */
static int missing_init(struct missing *m, const dt_aggvar_t *agg)
{
	bool picture = dt_picture(agg->func);
	size_t size = picture ? dt_picture_size(agg->func, agg->arg) : sizeof(uint64_t);

	m->data = calloc(1, size);
	m->rec = (dtrace_recdesc_t){.dtrd_action = picture ? agg->func : DTRACEAGG_COUNT,
				    .dtrd_size = (uint32_t)size};
	if (m->data && picture && agg->func != DTRACEAGG_QUANTIZE)
		m->data[0] = agg->arg;
	return m->data ? 0 : -1;
}

/*
 * Set *val to the value of the statement's i-th aggregation in a row. Return 0, or -1 without
 * memory.
 */
static int row_value(const struct dt_aggrow *row, const dt_stmt_t *stmt, uint32_t i,
		     struct missing *m, struct dt_arg *val)
{
	if (row->vals[i]) {
		*val = value_arg(row->vals[i]);
		return 0;
	}
	if (missing_init(m, stmt->aggs[i]) != 0)
		return -1;
	*val = (struct dt_arg){.rec = &m->rec, .data = m->data, .normal = 1};
	return 0;
}

/* Print the keys and values of a row in columns, as printa() without a format. Return 0 or -1. */
static int row_print_default(dtrace_hdl_t *dtp, FILE *fp, const dt_stmt_t *stmt,
			     const struct dt_aggrow *row)
{
	struct missing m = {.data = NULL};
	struct dt_arg val;

	for (uint32_t i = 0; i < nkeys(row->keys); i++)
		key_print(dtp, fp, row->keys, i, -KEYWIDTH);
	for (uint32_t i = 0; i < stmt->naggs; i++) {
		if (row_value(row, stmt, i, &m, &val) != 0)
			return dt_set_errno(dtp, ENOMEM);
		value_print(dtp, fp, val);
		free(m.data);
		m.data = NULL;
	}
	fputc('\n', fp);
	return 0;
}

/* Print a row by the statement's format. Return 0, or -1 without memory. */
static int row_print_format(dtrace_hdl_t *dtp, FILE *fp, const dt_stmt_t *stmt,
			    const struct dt_aggrow *row)
{
	uint32_t n = nkeys(row->keys);
	struct dt_arg *args = calloc(n + stmt->naggs, sizeof(*args));
	struct missing *missing = calloc(stmt->naggs, sizeof(*missing));
	bool ok = args && missing;

	for (uint32_t i = 0; ok && i < n; i++)
		args[i] = dt_agg_key(row->keys, i);
	for (uint32_t i = 0; ok && i < stmt->naggs; i++)
		ok = row_value(row, stmt, i, &missing[i], &args[n + i]) == 0;
	if (ok)
		dt_format_print(dtp, fp, stmt->format, args, n, args + n, stmt->naggs);
	for (uint32_t i = 0; missing && i < stmt->naggs; i++)
		free(missing[i].data);
	free(args);
	free(missing);
	return ok ? 0 : dt_set_errno(dtp, ENOMEM);
}

/* Return an entry as the library's caller sees it. */
static dtrace_aggdata_t entry_data(dtrace_hdl_t *dtp, const dt_aggentry_t *ent)
{
	return (dtrace_aggdata_t){
		.dtada_handle = dtp,
		.dtada_desc = &ent->id->desc,
		.dtada_name = ent->id->var->name,
		.dtada_data = ent->data,
		.dtada_size = ent->size,
		.dtada_normal = ent->normal,
		.dtada_percpu = (const void *const *)ent->percpu,
		.dtada_ncpus = ent->ncpus,
	};
}

/*
 * Make a zero of the same kind as like, for rows without a value of that aggregation. Return NULL
 * if like is NULL, or without memory.
 */
static dt_aggentry_t *row_zero(const dt_aggentry_t *like)
{
	dt_aggentry_t *zero = like ? malloc(sizeof(*zero) + like->size) : NULL;

	if (!zero)
		return NULL;
	*zero = *like;
	zero->data = memcpy(zero + 1, like->data, like->size);
	zero->percpu = NULL;
	zero->ncpus = 0;
	dt_aggentry_clear(zero);
	return zero;
}

/* Set value i of each of n rows that has none to zero, which may be NULL. */
static void rows_fill(struct dt_aggrow *rows, size_t n, uint32_t i, dt_aggentry_t *zero)
{
	for (size_t j = 0; j < n; j++)
		if (!rows[j].vals[i])
			rows[j].vals[i] = zero;
}

/*
 * Print n rows, and with buffered output hand each to the caller. Return 0 or -1 with the error
 * set.
 */
static int rows_print(dtrace_hdl_t *dtp, struct dt_consumer *con, const dt_stmt_t *stmt,
		      struct dt_aggrow *rows, size_t n)
{
	struct dt_chart chart = {0};
	int err = 0;

	if (!stmt->format)
		fputc('\n', con->fp);
	for (size_t i = 0; i < n && err == 0; i++) {
		dtrace_aggdata_t agg = entry_data(dtp, rows[i].keys);

		if (stmt->format)
			err = row_print_format(dtp, con->fp, stmt, &rows[i]);
		else if (stmt->naggs == 1)
			dt_agg_print(dtp, con->fp, &chart, rows[i].vals[0]);
		else
			err = row_print_default(dtp, con->fp, stmt, &rows[i]);
		if (err == 0 && con->mem)
			err = dt_consumer_flush(dtp, con, &agg);
	}
	return err;
}

int dt_printa(dtrace_hdl_t *dtp, struct dt_consumer *con, const dt_stmt_t *stmt)
{
	size_t n;
	struct dt_aggrow *rows;
	dt_aggentry_t **zeros;
	int err;

	if (stmt->naggs == 0)
		return dt_set_errno(dtp, EDT_BADDATA);
	rows = dt_aggs_joined(dtp, stmt->aggs, stmt->naggs, &n);
	if (!rows)
		return -1;
	zeros = calloc(stmt->naggs, sizeof(*zeros));
	if (!zeros) {
		free(rows);
		return dt_set_errno(dtp, ENOMEM);
	}
	for (uint32_t i = 0; i < stmt->naggs; i++) {
		const dt_aggentry_t *like = dt_agg_any(dtp, stmt->aggs[i]);

		if (like)
			dt_agg_set_printed(dtp, stmt->aggs[i]);
		zeros[i] = row_zero(like);
		rows_fill(rows, n, i, zeros[i]);
	}
	err = rows_print(dtp, con, stmt, rows, n);
	for (uint32_t i = 0; i < stmt->naggs; i++)
		free(zeros[i]);
	free(zeros);
	free(rows);
	return err;
}

/* ---- walks ---- */

/*
 * Do to an entry what the caller's function has returned for it. Return 0 to go on, 1 to end the
 * walk, -1 with the error set.
 */
static int walk_result(dtrace_hdl_t *dtp, dt_aggentry_t *ent, int rv)
{
	switch (rv) {
	case DTRACE_AGGWALK_CLEAR:
		dt_aggentry_clear(ent);
		return 0;
	case DTRACE_AGGWALK_REMOVE:
		ent->removed = true;
		return 0;
	case DTRACE_AGGWALK_ERROR:
		return dtp->error != 0 ? -1 : dt_set_errno(dtp, EDT_HANDLER);
	default:
		return rv == DTRACE_AGGWALK_ABORT;
	}
}

/*
 * Call the caller's function for n entries, and free the list; NULL: there was no memory for it.
 * Return 0 or -1 with the error set.
 */
static int walk_list(dtrace_hdl_t *dtp, dt_aggentry_t **list, size_t n, dtrace_aggregate_f *func,
		     void *arg)
{
	int rv = 0;

	if (!list)
		return -1;
	dtp->error = 0;
	for (size_t i = 0; i < n && rv == 0; i++) {
		dtrace_aggdata_t agg = entry_data(dtp, list[i]);

		rv = walk_result(dtp, list[i], func(&agg, arg));
	}
	free(list);
	dt_aggs_prune(dtp);
	return rv == -1 ? -1 : 0;
}

int dtrace_aggregate_walk_sorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg)
{
	size_t n;
	dt_aggentry_t **list = dt_aggs_sorted(dtp, NULL, &n);

	return walk_list(dtp, list, n, func, arg);
}

int dtrace_aggregate_walk(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg)
{
	return dtrace_aggregate_walk_sorted(dtp, func, arg);
}

static int walk_ordered(dtrace_hdl_t *dtp, bool bykey, bool byvar, bool reverse,
			dtrace_aggregate_f *func, void *arg)
{
	size_t n;
	dt_aggentry_t **list = dt_aggs_ordered(dtp, bykey, byvar, reverse, &n);

	return walk_list(dtp, list, n, func, arg);
}

#define WALK(name, bykey, byvar, reverse)                                                        \
	int dtrace_aggregate_walk_##name(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg) \
	{                                                                                        \
		return walk_ordered(dtp, bykey, byvar, reverse, func, arg);                      \
	}

WALK(keysorted, true, false, false)
WALK(valsorted, false, false, false)
WALK(keyvarsorted, true, true, false)
WALK(valvarsorted, false, true, false)
WALK(keyrevsorted, true, false, true)
WALK(valrevsorted, false, false, true)
WALK(keyvarrevsorted, true, true, true)
WALK(valvarrevsorted, false, true, true)

/* Return the aggregation of that name, or NULL. */
static dt_aggvar_t *var_find(dtrace_hdl_t *dtp, const char *name)
{
	for (dt_aggvar_t *var = dtp->aggvars; var; var = var->next)
		if (strcmp(var->name, name) == 0)
			return var;
	return NULL;
}

/*
 * Call the caller's function for each row, with n values; NULL stands for a missing one. Return 0
 * or -1 with the error set.
 */
static int walk_rows(dtrace_hdl_t *dtp, const struct dt_aggrow *rows, size_t nrows, int n,
		     dtrace_aggregate_walk_joined_f *func, void *arg)
{
	dtrace_aggdata_t *data = calloc(n, sizeof(*data));
	const dtrace_aggdata_t **vals = calloc(n, sizeof(*vals));
	int rv = !data || !vals ? dt_set_errno(dtp, ENOMEM) : 0;

	for (size_t i = 0; i < nrows && rv == 0; i++) {
		for (int j = 0; j < n; j++) {
			vals[j] = rows[i].vals[j] ? &data[j] : NULL;
			if (vals[j])
				data[j] = entry_data(dtp, rows[i].vals[j]);
		}
		rv = func(vals, n, arg);
		if (rv == DTRACE_AGGWALK_ERROR)
			dt_set_errno(dtp, EDT_HANDLER);
	}
	free(data);
	free(vals);
	return rv < 0 ? -1 : 0;
}

int dtrace_aggregate_walk_joined(dtrace_hdl_t *dtp, const char *const *names, int n,
				 dtrace_aggregate_walk_joined_f *func, void *arg)
{
	dt_aggvar_t **vars = calloc(n > 0 ? n : 1, sizeof(*vars));
	struct dt_aggrow *rows;
	size_t nrows;
	int rv = 0;

	if (!vars)
		return dt_set_errno(dtp, ENOMEM);
	for (int i = 0; i < n && rv == 0; i++) {
		vars[i] = var_find(dtp, names[i]);
		if (!vars[i])
			rv = dt_set_error(dtp, EINVAL, "no such aggregation: @%s", names[i]);
	}
	if (rv == 0 && n > 0) {
		rows = dt_aggs_joined(dtp, vars, n, &nrows);
		rv = rows ? walk_rows(dtp, rows, nrows, n, func, arg) : -1;
		free(rows);
	}
	free(vars);
	return rv;
}

int dt_aggs_print(dtrace_hdl_t *dtp, FILE *fp)
{
	struct dt_consumer con = {.fp = fp};
	struct dt_chart chart = {0};
	char *mem = NULL;
	size_t memlen, n;
	dt_aggentry_t **list;
	int err = 0;

	if (!fp) {
		con.fp = open_memstream(&mem, &memlen);
		con.mem = &mem;
		con.memlen = &memlen;
	}
	list = con.fp ? dt_aggs_sorted(dtp, NULL, &n) : NULL;
	if (!list)
		err = dt_set_errno(dtp, ENOMEM);
	for (size_t i = 0; err == 0 && i < n; i++) {
		dtrace_aggdata_t agg = entry_data(dtp, list[i]);

		if (dt_agg_printed(dtp, list[i]->id->var))
			continue;
		dt_agg_print(dtp, con.fp, &chart, list[i]);
		err = dt_consumer_flush(dtp, &con, &agg);
	}
	free(list);
	if (con.mem) {
		fclose(con.fp);
		free(mem);
	}
	return err;
}

int dtrace_aggregate_print(dtrace_hdl_t *dtp, FILE *fp, dtrace_aggregate_f *func)
{
	if (func)
		return dtrace_aggregate_walk_sorted(dtp, func, fp);
	return dt_output(dtp)->aggregations(dtp, fp);
}
