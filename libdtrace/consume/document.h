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
 * Begin a record of a probe in w, down to its open output list. flow is what -F would show, or
 * NULL. Return false with ENOMEM. The caller ends the record by dt_document_end().
 */
bool dt_document_begin(dtrace_hdl_t *dtp, struct dt_writer *w, uint64_t timestamp, int cpu,
		       const dtrace_probedesc_t *pd, const char *flow);
/*
 * Begin a record of the library's own in w, as if of a probe dtrace:INTERNAL:INTERNAL:name, without
 * an output list. Return false with ENOMEM.
 */
bool dt_document_news(dtrace_hdl_t *dtp, struct dt_writer *w, int cpu, const char *name);
/* Write the members that name a probe. */
void dt_document_probe(struct dt_writer *w, const dtrace_probedesc_t *pd);
/* End all that is open in w, write it, and free w. Return 0, or -1 with an error. */
int dt_document_end(dtrace_hdl_t *dtp, struct dt_writer *w);
/* Free the document without ending it; NULL is allowed. */
void dt_document_fini(struct dt_document *doc);

/* ---- document_value.c ---- */

/* Write a member: a plain value; for an address or stack an object. */
void dt_document_value(dtrace_hdl_t *dtp, struct dt_writer *w, const char *name,
		       const struct dt_arg *arg);
/* Write a value as an object of its own, in the output list. */
void dt_document_part(dtrace_hdl_t *dtp, struct dt_writer *w, const struct dt_arg *arg);

/* ---- document_print.c ---- */

/* Write what print() shows as an object of the output list. */
void dt_document_print(dtrace_hdl_t *dtp, struct dt_writer *w, const struct dt_arg *arg);

/* ---- document_agg.c ---- */

/*
 * Write what a printa() shows: the text if it has a format, then each aggregation. Return 0 or -1.
 */
int dt_document_printa(dtrace_hdl_t *dtp, struct dt_writer *w, const dt_stmt_t *stmt);
/* Write all aggregations that no printa() has shown. Return 0 or -1. */
int dt_document_aggs(dtrace_hdl_t *dtp, struct dt_writer *w);

#endif
