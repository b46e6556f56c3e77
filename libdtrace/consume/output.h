/* SPDX-License-Identifier: MIT */
/*
 * output.h - forms of output: text (output_text.c) as every DTrace prints it, or a structured
 * document (output_structured.c) in JSON or XML. record.c takes a record apart and passes each
 * statement's part to the form of the handle.
 */
#ifndef DT_OUTPUT_H
#define DT_OUTPUT_H

#include "consume.h"

/* A record that is being printed. */
struct dt_print {
	dtrace_hdl_t *dtp;
	struct dt_consumer *con;
	const dt_eprobe_t *ep;
	dtrace_probedata_t data;
	bool quiet;
};

/* A statement's part of a record: n descriptions from rec on. */
struct dt_part {
	const dt_stmt_t *stmt;
	const dtrace_recdesc_t *rec;
	uint32_t n;
	int act; /* number of its first action, from 1 on */
};

/* Print the part of one kind of statement in this form. Return 0, or -1 with dtrace_errno. */
typedef int dt_output_part_f(struct dt_print *pr, const struct dt_part *part);

/* A form of output. Functions return 0, or -1 with dtrace_errno; begin to fault may be NULL. */
struct dt_output {
	/* begin a record */
	int (*begin)(struct dt_print *pr);
	/* end it */
	int (*end)(struct dt_print *pr);
	/* write a drop, before its handler is called */
	int (*drop)(dtrace_hdl_t *dtp, const dtrace_dropdata_t *drop);
	/* write a fault, before its handler is called */
	int (*fault)(dtrace_hdl_t *dtp, const dtrace_errdata_t *err);
	dt_output_part_f *exit; /* may be NULL too */
	dt_output_part_f *trace, *tracemem, *print, *printf, *printa, *stack, *symbol;
	/* command: what system() is to run. */
	int (*system)(struct dt_print *pr, const struct dt_part *part, const char *command);
	/* The aggregations when tracing is over; fp NULL: to the buffered-output handler. */
	int (*aggregations)(dtrace_hdl_t *dtp, FILE *fp);
	bool rewinds; /* freopen() and ftruncate() make sense */
};

extern const struct dt_output dt_output_text, dt_output_structured;

/* Return the form of the handle's output. (document.c) */
const struct dt_output *dt_output(dtrace_hdl_t *dtp);

/* ---- record.c ---- */

/* Return the data of rec. */
const void *dt_part_data(const struct dt_print *pr, const dtrace_recdesc_t *rec);
/* Return the memory that tracemem() or printm() shows, and set *n to its bytes. */
const void *dt_part_memory(const struct dt_print *pr, const struct dt_part *part, size_t *n);
/* Return value i with its type. */
struct dt_arg dt_part_arg(const struct dt_print *pr, const struct dt_part *part, uint32_t i);
/*
 * Return the arguments of a format, for the caller to free, and set *n to their number; NULL
 * without memory.
 */
struct dt_arg *dt_part_args(const struct dt_print *pr, const struct dt_part *part, uint32_t *n);

#endif
