/* SPDX-License-Identifier: MIT */
/*
 * consume.h - what the files of the consumer offer each other: records are read (session.c) and
 * printed (record.c, output_text.c, format.c, stack.c), aggregations kept (aggregate.c) and
 * printed (picture.c, printa.c).
 *
 * Printing functions write to a FILE and return nothing; the owner of the FILE looks at
 * ferror() once.
 */
#ifndef DT_CONSUME_H
#define DT_CONSUME_H

#include "../handle.h"
#include "../compile/format.h"
#include "../compile/type.h"
#include "../symbols/kernel_symbol.h"
#include "../symbols/user_symbol.h"

/* ---- eprobe.c: what the world says of epids and aggregation ids, asked once each ---- */

typedef struct dt_eprobe {
	dtrace_eprobedesc_t desc;
	dtrace_recdesc_t *recs;
	dtrace_flowkind_t flow;
	bool syscall; /* its arrows are double */
} dt_eprobe_t;

typedef struct dt_aggid {
	dtrace_aggdesc_t desc;
	dtrace_recdesc_t *recs; /* keys, then the value */
	dt_aggvar_t *var;
	dt_stmt_t *stmt; /* the aggregating statement: its action i made key i */
} dt_aggid_t;

/*
 * Return the description of an epid; the world is asked once. It belongs to the handle. NULL with
 * an error: the world does not know the number, or its description makes no sense.
 */
const dt_eprobe_t *dt_eprobe_find(dtrace_hdl_t *dtp, dtrace_epid_t epid);
/* Return the description of an aggregation id in the same way. */
const dt_aggid_t *dt_aggid_find(dtrace_hdl_t *dtp, dtrace_aggid_t id);
/* Free all descriptions. */
void dt_eprobes_fini(dtrace_hdl_t *dtp);

/* ---- session.c ---- */

struct dt_session {
	struct dt_buffers *buffers;		  /* records that wait */
	struct dt_flow *flow;			  /* record.c; per CPU */
	dtrace_status_t status;			  /* as last reported */
	uint64_t principal[2], aggregation[2];	  /* drops: in all, reported */
	uint32_t errclause;			  /* clause that reports faults; 0: none yet */
	uint64_t nextswitch, nextagg, nextstatus; /* ns: when due */
	bool news;				  /* the device has news */
	int outfd;				  /* the output before freopen(), or -1 */
	struct dt_document *document;		  /* document.c; NULL: output is text */
	const dt_eprobe_t *next;   /* what its CPU recorded next, with flow indentation */
	dtrace_probedata_t *probe; /* being printed, or NULL */
	const dtrace_recdesc_t *rec;
};

/* Return the handle's session, made at the first call; NULL with ENOMEM. */
struct dt_session *dt_session(dtrace_hdl_t *dtp);
/* Free the session. */
void dt_session_fini(dtrace_hdl_t *dtp);
/* Return the value of a rate option in ns. */
uint64_t dt_rate(dtrace_hdl_t *dtp, int option);
/* Return the number of CPUs that have buffers. */
unsigned int dt_ncpus(const dtrace_hdl_t *dtp);

/* Snapshots of the CPUs' buffers of one kind. */
struct dt_snapshot {
	unsigned long request; /* by which the world copies a buffer */
	int option;	       /* of the buffers' size */
	size_t usual;	       /* the size without that option */
	dtrace_dropkind_t drops;
	char *data; /* the latest; owned */
	size_t size;
};

/*
 * Read the buffer of a CPU into snap->data, and report what was dropped. Return 1, with the size in
 * desc; 0 if the CPU has no buffer; or -1 with an error.
 */
int dt_snapshot_read(dtrace_hdl_t *dtp, struct dt_snapshot *snap, int cpu, dtrace_bufdesc_t *desc);

/* Called for each record. Result: 0, or what ends the run. */
typedef int dt_buffer_f(dtrace_hdl_t *dtp, const dt_eprobe_t *ep, const struct dtrace_rechdr *rec,
			int cpu, void *arg);

/*
 * Add a copy of size bytes of records of a CPU.
 *	oldest	offset of the oldest record, from which a ring buffer is read
 *	mark	time in ns; no later record is older
 * Return 0, or -1 with an error.
 */
int dt_buffers_add(dtrace_hdl_t *dtp, int cpu, const void *data, size_t size, size_t oldest,
		   uint64_t mark);
/*
 * Call func, in order of time, with the records that no later record can precede; with all records
 * if last. Return 0, -1 with an error, or what func returned.
 */
int dt_buffers_emit(dtrace_hdl_t *dtp, bool last, dt_buffer_f *func, void *arg);

/* ---- record.c ---- */

/* Return the integer of 1, 2, 4 or 8 bytes at p, sign-extended if is_signed. */
int64_t dt_value_load(const void *p, size_t size, bool is_signed);
/*
 * Return whether the bytes up to the first NUL are printable and only NULs follow, and set *len to
 * the length of the text.
 */
bool dt_value_text(const void *p, size_t size, size_t *len);

struct dt_consumer {
	FILE *fp;
	dtrace_consume_probe_f *pfunc;
	dtrace_consume_rec_f *rfunc;
	void *arg;
	char **mem; /* fp's memory when output is buffered, or NULL */
	size_t *memlen;
};

/* Print a record: a dt_buffer_f. arg is a struct dt_consumer. */
int dt_record_print(dtrace_hdl_t *dtp, const dt_eprobe_t *ep, const struct dtrace_rechdr *rec,
		    int cpu, void *arg);
/* Pass a part of the output to the handler. Return 0; -1 if it aborts, or there is none. */
int dt_buffered_hand(dtrace_hdl_t *dtp, const dtrace_bufdata_t *data);
/* Pass buffered output to the handler. agg may be NULL. Return 0 or -1. */
int dt_consumer_flush(dtrace_hdl_t *dtp, struct dt_consumer *con, const dtrace_aggdata_t *agg);

/* ---- output_text.c: values as text ---- */

/*
 * Print a value as trace() does; quiet: without columns. rtype and type describe it, and may be
 * NULL.
 */
void dt_value_print(dtrace_hdl_t *dtp, FILE *fp, const dtrace_diftype_t *rtype,
		    const struct dt_type *type, const void *p, size_t size, bool quiet, int width);
/* Print bytes in hexadecimal with their text; nothing if there are none. */
void dt_value_dump(FILE *fp, const void *p, size_t size);

/* ---- typed.c ---- */

/* Print a value as print() does. type NULL: its bytes are dumped. */
void dt_typed_print(dtrace_hdl_t *dtp, FILE *fp, const struct dt_type *type, const void *p,
		    size_t size);

/* ---- stack.c ---- */

/* A frame of a recorded stack. */
struct dt_frame {
	bool user;
	uint64_t pid, addr;
	bool is_return;		    /* addr is behind a call instruction */
	const char *name;	    /* as its ustack helper calls it, or NULL */
	const char *note;	    /* what the helper says of it, or NULL */
	const struct dt_line *line; /* where it is in the source, or NULL */
};

typedef void dt_frame_f(const struct dt_frame *frame, void *ctx);

/*
 * Call func with ctx for each frame of the stack that rec describes; if lines are shown, also for
 * each function that is inlined in one.
 */
void dt_frames_walk(dtrace_hdl_t *dtp, const dtrace_recdesc_t *rec, const void *p, dt_frame_f *func,
		    void *ctx);
/*
 * Print the frames, each in a line behind indent columns, in a field of width columns, on its left
 * side if width is negative.
 */
void dt_frames_print(dtrace_hdl_t *dtp, FILE *fp, const dtrace_recdesc_t *rec, const void *p,
		     int indent, int width);
/* Write file and number of a line to text, cut to len bytes. Return text. */
char *dt_line_text(const struct dt_line *line, char *text, size_t len);
/* Write the symbol of a frame to text, cut to len bytes. Return text. */
char *dt_frame_text(dtrace_hdl_t *dtp, const struct dt_frame *frame, char *text, size_t len);
/* Write what a record of an action (SYM MOD USYM UMOD UADDR) is shown as to buf. */
void dt_symbol_text(dtrace_hdl_t *dtp, dtrace_actkind_t kind, const void *p, char *buf, size_t len);
/*
 * Write the name that dt_symbol_text() shows to buf, and set *off to the bytes from the function's
 * start to the address, 0 for MOD and UMOD. Return false if the name is not known.
 */
bool dt_symbol_name(dtrace_hdl_t *dtp, dtrace_actkind_t kind, const void *p, char *buf, size_t len,
		    uint64_t *off);
/* Return the columns before stacks. */
int dt_indent(dtrace_hdl_t *dtp);

/* ---- format.c ---- */

/* One argument of a format. */
struct dt_arg {
	const dtrace_recdesc_t *rec;
	const void *data;
	const dtrace_diftype_t *rtype;
	const struct dt_type *type;
	uint64_t normal; /* divisor of an aggregation's value */
};

/*
 * Print args by format. aggs has the values that @ conversions take, in order; more conversions
 * take the last again. NULL: there are none.
 */
void dt_format_print(dtrace_hdl_t *dtp, FILE *fp, const struct dt_format *format,
		     const struct dt_arg *args, uint32_t nargs, const struct dt_arg *aggs,
		     uint32_t naggs);
/* Return args by format as a string, which the caller frees; NULL with ENOMEM. */
char *dt_format_text(dtrace_hdl_t *dtp, const struct dt_format *format, const struct dt_arg *args,
		     uint32_t nargs);

/* ---- names.c ---- */

/*
 * Return the name of the host with the address that the text is, until the next call. NULL: it has
 * none, the text is no address, or an answer has been slow.
 */
const char *dt_host_name(dtrace_hdl_t *dtp, const char *text);
/* Return the name of the service at a port, or NULL. It lives until dt_names_fini(). */
const char *dt_service_name(dtrace_hdl_t *dtp, uint16_t port);
/* Free the names. */
void dt_names_fini(dtrace_hdl_t *dtp);

/* ---- symbol_key.c: keys of sym(), mod(), usym(), umod() that have one name are one key ---- */

struct dt_symbol_keys;

/* Return whether an aggregation has such keys. */
bool dt_symbol_keys_needed(const dt_aggid_t *id);
/*
 * Replace the keys of an entry by the first keys that had the same names. *keys is made at the
 * first call. Return 0, or -1 with ENOMEM.
 */
int dt_symbol_keys_merge(dtrace_hdl_t *dtp, struct dt_symbol_keys **keys, const dt_aggid_t *id,
			 char *entry);
/* Free the keys; NULL is allowed. */
void dt_symbol_keys_fini(struct dt_symbol_keys *keys);

/* ---- aggregate.c ---- */

/* The sort key of an entry: a number, or the sum of a distribution and then its count at zero. */
struct dt_weight {
	long double sum;
	int64_t zero;
};

/* An aggregation's values over the keys, as the consumer keeps it. */
typedef struct dt_aggentry {
	struct dt_aggentry *next; /* in the hash chain */
	const dt_aggid_t *id;
	char *data; /* struct dtrace_aggrec, keys, value */
	uint32_t size;
	uint64_t hash;
	uint64_t normal; /* divisor of its value */
	char **percpu;	 /* the values of ncpus CPUs; NULL: not kept, or none yet */
	unsigned int ncpus;
	struct dt_weight weight; /* when it was last sorted */
	bool cleared;		 /* the next value replaces what clear() left */
	bool removed;
} dt_aggentry_t;

/* Merge the bytes of a CPU's snapshot. Return 0, or -1 with an error. */
int dt_aggs_add(dtrace_hdl_t *dtp, unsigned int cpu, const void *data, size_t size);
/*
 * Return the entries of var, or of all aggregations if it is NULL, sorted as options say, and set
 * *n to their number. The caller frees the array. NULL with ENOMEM.
 */
dt_aggentry_t **dt_aggs_sorted(dtrace_hdl_t *dtp, const dt_aggvar_t *var, size_t *n);
/* Return an entry of var, or NULL. */
const dt_aggentry_t *dt_agg_any(dtrace_hdl_t *dtp, const dt_aggvar_t *var);
/* Return all entries in the given order as dt_aggs_sorted() does; options do not matter. */
dt_aggentry_t **dt_aggs_ordered(dtrace_hdl_t *dtp, bool bykey, bool byvar, bool reverse, size_t *n);
/* Set the value of an entry to zero. */
void dt_aggentry_clear(dt_aggentry_t *ent);
/* Free the entries that are marked as removed. */
void dt_aggs_prune(dtrace_hdl_t *dtp);
/* Return the value of an entry. */
const void *dt_agg_value(const dt_aggentry_t *ent);
/* Return the description of an aggregation's value. */
const dtrace_recdesc_t *dt_agg_vrec(const dt_aggid_t *id);
/* Note that a printa() has printed an aggregation: it is not printed again at the end. */
void dt_agg_set_printed(dtrace_hdl_t *dtp, const dt_aggvar_t *var);
/* Return whether that was noted. */
bool dt_agg_printed(dtrace_hdl_t *dtp, const dt_aggvar_t *var);
/* Set the values of all entries to zero. */
void dt_agg_clear(dtrace_hdl_t *dtp, const dt_aggvar_t *var);
/* Keep the n largest entries; n < 0: the -n smallest; 0: none. Return 0, or -1 with ENOMEM. */
int dt_agg_trunc(dtrace_hdl_t *dtp, const dt_aggvar_t *var, int64_t n);
/* Set the divisor of the entries that exist now. */
void dt_agg_normalize(dtrace_hdl_t *dtp, const dt_aggvar_t *var, uint64_t normal);
/* Free all aggregations. */
void dt_aggs_fini(dtrace_hdl_t *dtp);

/*
 * A row of several aggregations joined by key; vals[i] is NULL where aggregation i has no entry for
 * it.
 */
struct dt_aggrow {
	dt_aggentry_t *keys;
	dt_aggentry_t **vals;
};
/*
 * Return the rows of nvars aggregations, sorted as options say, and set *n to their number. The
 * caller frees the array, and nothing else. NULL with ENOMEM.
 */
struct dt_aggrow *dt_aggs_joined(dtrace_hdl_t *dtp, dt_aggvar_t *const *vars, uint32_t nvars,
				 size_t *n);

/* ---- picture.c ---- */

/* Return whether an aggregating function is printed as a distribution. */
bool dt_picture(dtrace_actkind_t func);
/* Return the bytes of its value; arg is the argument of the function. */
size_t dt_picture_size(dtrace_actkind_t func, uint64_t arg);
/* Print the distribution at value, of size bytes. */
void dt_picture_print(dtrace_hdl_t *dtp, FILE *fp, dtrace_actkind_t func, const void *value,
		      size_t size, uint64_t normal);
/* A row of a distribution. */
struct dt_bucket {
	int64_t bound; /* the least value in it; of the first of all the least above */
	int open;      /* -1: all values below bound; 1: all from bound on; else 0 */
	int64_t count;
};

typedef void dt_bucket_f(const struct dt_bucket *bucket, void *ctx);

/* Call each with ctx for every row that dt_picture_print() would print. */
void dt_picture_walk(dtrace_actkind_t func, const void *value, size_t size, uint64_t normal,
		     dt_bucket_f *each, void *ctx);
/* Return the number of a scalar aggregation: count, sum, min, max, average, deviation. */
int64_t dt_agg_number(dtrace_actkind_t func, const void *value, uint64_t normal);
/* Return the sort key of a value. */
struct dt_weight dt_agg_weight(dtrace_actkind_t func, const void *value, size_t size);
/* Add a count of a picture to *total, of which bars are parts. */
void dt_bar_add(dtrace_hdl_t *dtp, int64_t count, long double *total);
/* Print a count's bar, the count, and a newline. */
void dt_bar_print(FILE *fp, int64_t count, uint64_t normal, long double total, bool positives,
		  bool negatives);
/* Print the titles above. width: columns of the keys before the bars, 0 if bars follow values. */
void dt_bar_heading(FILE *fp, int width);

/* ---- chart.c: agghist and aggpack, an entry a line ---- */

#define DT_CHART_KEYWIDTH 16 /* columns of a key that is no integer */

/* All entries of the aggregation that is being printed, on one scale. Begins as zeros. */
struct dt_chart {
	const dt_aggvar_t *var;
	enum { DT_CHART_NONE, DT_CHART_HIST, DT_CHART_PACK } kind;
	long double total;
	bool positives, negatives;
	int first, last; /* buckets of quantize() */
};

/*
 * Make ent the next entry. Return whether it is drawn in a line of its own. The titles are printed
 * if the entry before was of another aggregation.
 */
bool dt_chart_set(dtrace_hdl_t *dtp, FILE *fp, struct dt_chart *chart, const dt_aggentry_t *ent);
/* Print what follows the keys of an entry. */
void dt_chart_print(dtrace_hdl_t *dtp, FILE *fp, const struct dt_chart *chart,
		    const dt_aggentry_t *ent);

/* ---- printa.c ---- */

/* Carry out a printa() statement. Return 0 or -1. */
int dt_printa(dtrace_hdl_t *dtp, struct dt_consumer *con, const dt_stmt_t *stmt);
/*
 * Print, sorted, what no printa() has printed; fp NULL: to the buffered-output handler. Return 0 or
 * -1.
 */
int dt_aggs_print(dtrace_hdl_t *dtp, FILE *fp);
/* Return key i of an entry. */
struct dt_arg dt_agg_key(const dt_aggentry_t *ent, uint32_t i);

/* ---- drop.c ---- */

/*
 * Report the drops since the last call: status differs from the session's by them. Return 0 or -1.
 */
int dt_drops_report(dtrace_hdl_t *dtp, const dtrace_status_t *now);
/* Return the name of a kind of drop, as in tags. */
const char *dt_drop_tag(dtrace_dropkind_t kind);
/* Count drops of a CPU, and report them if there are any. Return 0 or -1. */
int dt_drop_cpu(dtrace_hdl_t *dtp, dtrace_dropkind_t kind, int cpu, uint64_t drops);
/* Report the fault in a record of the clause that reports faults. Return 0 or -1. */
int dt_fault_report(dtrace_hdl_t *dtp, const dt_eprobe_t *ep, const void *data, int cpu);
/* Report a fault of the consumer in action number act. Return 0 or -1. */
int dt_fault_library(dtrace_hdl_t *dtp, const dtrace_probedata_t *probe, int act, const char *text);

#endif
