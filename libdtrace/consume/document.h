/* SPDX-License-Identifier: MIT */
/*
 * document.h - structured output: a document is a run of records, each an object with the same
 * head. document.c writes heads and hands complete records on, document_value.c values and stacks,
 * document_print.c values of print(), document_agg.c aggregations; output_structured.c puts records
 * together from these.
 */
#ifndef DT_DOCUMENT_H
#define DT_DOCUMENT_H

#include "output.h"
#include "writer.h"

struct dt_document {
	const struct dt_language *language;
	FILE *fp;		 /* where records go; NULL: to the buffered-output handler */
	bool open;		 /* its beginning has been written */
	struct dt_writer record; /* that of the current firing */
	bool recording;		 /* record is initialized */
};

/* ---- document.c ---- */

/*
 * dt_document_begin - begin a record of a probe in w, down to its open output list. flow is what
 * -F would show, or NULL. False, with dtrace_errno: no memory.
 */
bool dt_document_begin(dtrace_hdl_t *dtp, struct dt_writer *w, uint64_t timestamp, int cpu,
		       const dtrace_probedesc_t *pd, const char *flow);
/*
 * dt_document_news - likewise a record of the library's own, as if of a probe
 * dtrace:INTERNAL:INTERNAL:name, without the list.
 */
bool dt_document_news(dtrace_hdl_t *dtp, struct dt_writer *w, int cpu, const char *name);
/* dt_document_probe - the members that name a probe. */
void dt_document_probe(struct dt_writer *w, const dtrace_probedesc_t *pd);
/* dt_document_end - end all that is open in w and hand it on; w is freed. 0 or -1. */
int dt_document_end(dtrace_hdl_t *dtp, struct dt_writer *w);
/* dt_document_fini - forget the document without ending it. */
void dt_document_fini(struct dt_document *doc);

/* ---- document_value.c ---- */

/* dt_document_value - a member: a plain value, or of an address or stack an object. */
void dt_document_value(dtrace_hdl_t *dtp, struct dt_writer *w, const char *name,
		       const struct dt_arg *arg);
/* dt_document_part - likewise as an object of its own, in the output list. */
void dt_document_part(dtrace_hdl_t *dtp, struct dt_writer *w, const struct dt_arg *arg);

/* ---- document_print.c ---- */

/* dt_document_print - what print() shows, an object of the output list. */
void dt_document_print(dtrace_hdl_t *dtp, struct dt_writer *w, const struct dt_arg *arg);

/* ---- document_agg.c ---- */

/* dt_document_printa - what a printa() shows: the text if it has a format, then each aggregation. */
int dt_document_printa(dtrace_hdl_t *dtp, struct dt_writer *w, const dt_stmt_t *stmt);
/* dt_document_aggs - all aggregations that no printa() has shown. */
int dt_document_aggs(dtrace_hdl_t *dtp, struct dt_writer *w);

#endif
