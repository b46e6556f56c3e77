/* SPDX-License-Identifier: MIT */
/* document_agg.c - aggregations in structured output: names, keys, values, buckets. */
#include <errno.h>
#include <stdlib.h>
#include "document.h"

/* Member that holds the value of an aggregating function. */
static const char *agg_member(dtrace_actkind_t func)
{
	static const struct {
		dtrace_actkind_t func;
		const char *name;
	} names[] = {
		{DTRACEAGG_COUNT, "count"}, {DTRACEAGG_SUM, "sum"}, {DTRACEAGG_MIN, "min"},
		{DTRACEAGG_MAX, "max"},	    {DTRACEAGG_AVG, "avg"}, {DTRACEAGG_STDDEV, "stddev"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].func == func)
			return names[i].name;
	return "value";
}

static void agg_bucket(const struct dt_bucket *bucket, void *arg)
{
	struct dt_writer *w = arg;

	dt_writer_object(w, NULL);
	dt_writer_int(w, "value", bucket->bound);
	if (bucket->open != 0)
		dt_writer_cstring(w, "range", bucket->open < 0 ? "below" : "above");
	dt_writer_int(w, "count", bucket->count);
	dt_writer_end(w);
}

static void agg_value(struct dt_writer *w, const dt_aggentry_t *ent)
{
	const dtrace_recdesc_t *rec = dt_agg_vrec(ent->id);

	if (!dt_picture(rec->dtrd_action)) {
		dt_writer_int(w, agg_member(rec->dtrd_action),
			      dt_agg_number(rec->dtrd_action, dt_agg_value(ent), ent->normal));
		return;
	}
	dt_writer_list(w, "buckets");
	dt_picture_walk(rec->dtrd_action, dt_agg_value(ent), rec->dtrd_size, ent->normal,
			agg_bucket, w);
	dt_writer_end(w);
}

static void agg_entry(dtrace_hdl_t *dtp, struct dt_writer *w, const dt_aggentry_t *ent)
{
	dt_writer_object(w, NULL);
	dt_writer_list(w, "keys");
	for (uint32_t i = 0; i + 1 < ent->id->desc.dtagd_nrecs; i++) {
		struct dt_arg key = dt_agg_key(ent, i);

		dt_document_value(dtp, w, NULL, &key);
	}
	dt_writer_end(w);
	agg_value(w, ent);
	dt_writer_end(w);
}

/* Begin an aggregation: an object of the output list, down to its open list of entries. */
static void agg_begin(struct dt_writer *w, const dt_aggvar_t *var)
{
	dt_writer_object(w, NULL);
	dt_writer_cstring(w, "aggregation-name", var->name);
	dt_writer_list(w, "aggregation-data");
}

static void agg_end(struct dt_writer *w)
{
	dt_writer_end(w);
	dt_writer_end(w);
}

/* Write the result of printa()'s format, for all rows. */
static int printa_message(dtrace_hdl_t *dtp, struct dt_writer *w, const dt_stmt_t *stmt)
{
	struct dt_consumer con = {0};
	char *text = NULL;
	size_t len;
	int err;

	con.fp = open_memstream(&text, &len);
	if (!con.fp)
		return dt_set_errno(dtp, ENOMEM);
	err = dt_printa(dtp, &con, stmt);
	if (fclose(con.fp) == 0 && err == 0) {
		dt_writer_object(w, NULL);
		dt_writer_string(w, "message", text, len);
		dt_writer_end(w);
	}
	free(text);
	return err;
}

int dt_document_printa(dtrace_hdl_t *dtp, struct dt_writer *w, const dt_stmt_t *stmt)
{
	struct dt_aggrow *rows;
	size_t n;

	if (stmt->naggs == 0)
		return dt_set_errno(dtp, EDT_BADDATA);
	if (stmt->format && printa_message(dtp, w, stmt) != 0)
		return -1;
	rows = dt_aggs_joined(dtp, stmt->aggs, stmt->naggs, &n);
	if (!rows)
		return -1;
	for (uint32_t j = 0; j < stmt->naggs; j++) {
		dt_agg_set_printed(dtp, stmt->aggs[j]);
		agg_begin(w, stmt->aggs[j]);
		for (size_t i = 0; i < n; i++)
			if (rows[i].vals[j])
				agg_entry(dtp, w, rows[i].vals[j]);
		agg_end(w);
	}
	free(rows);
	return 0;
}

int dt_document_aggs(dtrace_hdl_t *dtp, struct dt_writer *w)
{
	const dt_aggvar_t *var = NULL;
	size_t n;
	dt_aggentry_t **list = dt_aggs_sorted(dtp, NULL, &n);

	if (!list)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (dt_agg_printed(dtp, list[i]->id->var))
			continue;
		if (var != list[i]->id->var) {
			if (var)
				agg_end(w);
			var = list[i]->id->var;
			agg_begin(w, var);
		}
		agg_entry(dtp, w, list[i]);
	}
	if (var)
		agg_end(w);
	free(list);
	return 0;
}
