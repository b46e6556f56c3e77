/* SPDX-License-Identifier: MIT */
/*
 * consume.h - what the files of the consumer offer each other: buffers are read (buffer.c), their
 * records printed (record.c, value.c, format.c, stack.c), aggregations kept (aggregate.c) and
 * printed (picture.c, printa.c).
 *
 * Printing functions write to a FILE and return nothing; whoever handed out the FILE looks at
 * ferror() once.
 */
#ifndef DT_CONSUME_H
#define DT_CONSUME_H

#include "../handle.h"
#include "../compile/format.h"
#include "../compile/type.h"
#include "../symbols/kernel_symbol.h"
#include "../symbols/user_symbol.h"

/* ---- eprobe.c: what the module says of epids and aggregation ids, asked once each ---- */

typedef struct dt_eprobe {
	dtrace_eprobedesc_t desc;
	dtrace_recdesc_t *recs;
	dtrace_flowkind_t flow;
	bool syscall;			/* its arrows are double */
} dt_eprobe_t;

typedef struct dt_aggid {
	dtrace_aggdesc_t desc;
	dtrace_recdesc_t *recs;		/* keys, then the value */
	dt_aggvar_t *var;
	dt_stmt_t *stmt;		/* the aggregating statement: its action i made key i */
} dt_aggid_t;

/*
 * dt_eprobe_find, dt_aggid_find - cached; NULL with dtrace_errno: no such number, or the module's
 * answer makes no sense.
 */
const dt_eprobe_t *dt_eprobe_find(dtrace_hdl_t *dtp, dtrace_epid_t epid);
const dt_aggid_t *dt_aggid_find(dtrace_hdl_t *dtp, dtrace_aggid_t id);
void dt_eprobes_fini(dtrace_hdl_t *dtp);

/* ---- session.c ---- */

struct dt_session {
	struct dt_buffers *buffers;		/* buffer.c */
	struct dt_flow *flow;			/* record.c; per CPU */
	dtrace_status_t status;			/* as last reported */
	uint64_t principal[2], aggregation[2];	/* drops: in all, reported */
	uint32_t errclause;			/* clause that reports faults; 0: none yet */
	uint64_t nextswitch, nextagg, nextstatus;	/* ns: when due */
	bool poked;				/* the device has news */
	int outfd;				/* the output before freopen(), or -1 */
	struct dt_document *document;		/* document.c; NULL: output is text */
	const dt_eprobe_t *next;		/* what its CPU recorded next, with flow indentation */
	dtrace_probedata_t *probe;		/* being printed, or NULL */
	const dtrace_recdesc_t *rec;
};

/* dt_session - the handle's, made at first use; NULL and ENOMEM. */
struct dt_session *dt_session(dtrace_hdl_t *dtp);
void dt_session_fini(dtrace_hdl_t *dtp);
/* dt_rate - value of a rate option in ns. */
uint64_t dt_rate(dtrace_hdl_t *dtp, int option);
/* dt_ncpus - CPUs that snapshots may be taken of. */
unsigned int dt_ncpus(const dtrace_hdl_t *dtp);

/* ---- buffer.c: records of all CPUs in order ---- */

/* Called for each record. Result: 0, or what ends the run. */
typedef int dt_buffer_f(dtrace_hdl_t *dtp, const dt_eprobe_t *ep, const struct dtrace_rechdr *rec,
			int cpu, void *arg);

/* dt_buffers_snap - take what the CPUs have; counts drops in the session. 0 or -1. */
int dt_buffers_snap(dtrace_hdl_t *dtp);
/*
 * dt_buffers_add - as if CPU cpu had given these bytes: they are copied. mark: no later record is
 * older. 0 or -1.
 */
int dt_buffers_add(dtrace_hdl_t *dtp, int cpu, const void *data, size_t size, size_t oldest,
		   uint64_t mark);
/*
 * dt_buffers_emit - hand out, in order of time, the records that no later one can precede; all of
 * them if last. 0, -1 with dtrace_errno, or what func returned.
 */
int dt_buffers_emit(dtrace_hdl_t *dtp, bool last, dt_buffer_f *func, void *arg);
void dt_buffers_fini(struct dt_buffers *buffers);

/* ---- record.c ---- */

struct dt_consumer {
	FILE *fp;
	dtrace_consume_probe_f *pfunc;
	dtrace_consume_rec_f *rfunc;
	void *arg;
	char **mem;			/* fp's memory when output is buffered, or NULL */
	size_t *memlen;
};

/* dt_record_print - a dt_buffer_f that prints; arg is a struct dt_consumer. */
int dt_record_print(dtrace_hdl_t *dtp, const dt_eprobe_t *ep, const struct dtrace_rechdr *rec,
		    int cpu, void *arg);
/* dt_buffered_hand - give a piece of output to the program's handler; 0 or -1, without one too. */
int dt_buffered_hand(dtrace_hdl_t *dtp, const dtrace_bufdata_t *data);
/* dt_consumer_flush - hand buffered output on; 0 or -1. agg may be NULL. */
int dt_consumer_flush(dtrace_hdl_t *dtp, struct dt_consumer *con, const dtrace_aggdata_t *agg);

/* ---- value.c: plain values ---- */

/* dt_value_load - integer of size 1 2 4 8 at p, sign extended if is_signed. */
int64_t dt_value_load(const void *p, size_t size, bool is_signed);
/*
 * dt_value_print - a value as trace() prints it; quiet: no columns. rtype and type say what it is
 * and may be NULL.
 */
void dt_value_print(dtrace_hdl_t *dtp, FILE *fp, const dtrace_diftype_t *rtype,
		    const struct dt_type *type, const void *p, size_t size, bool quiet, int width);
/* dt_value_dump - bytes in hexadecimal with their text; nothing if there are none. */
void dt_value_dump(FILE *fp, const void *p, size_t size);
/*
 * dt_value_text - the bytes up to the first NUL when they can be printed and only NULs follow, else
 * NULL: length of the text.
 */
bool dt_value_text(const void *p, size_t size, size_t *len);

/* ---- typed.c ---- */

/* dt_typed_print - a value as print() shows it; type NULL: it is not known, bytes are dumped. */
void dt_typed_print(dtrace_hdl_t *dtp, FILE *fp, const struct dt_type *type, const void *p,
		    size_t size);

/* ---- stack.c ---- */

/* A frame of a recorded stack. */
struct dt_frame {
	bool user;
	uint64_t pid, addr;
	bool called;			/* addr is behind the call of the frame before */
	const char *name;		/* as its ustack helper calls it, or NULL */
	const char *note;		/* what the helper says of it, or NULL */
	const struct dt_line *line;	/* where it is in the source, or NULL */
};

typedef void dt_frame_f(const struct dt_frame *frame, void *ctx);

/*
 * dt_frames_walk - call func for each frame of the stack that rec describes, and for each function
 * that is inlined in one if lines are wanted.
 */
void dt_frames_walk(dtrace_hdl_t *dtp, const dtrace_recdesc_t *rec, const void *p,
		    dt_frame_f *func, void *ctx);
/*
 * dt_frames_print - print them, one a line behind indent columns, in fields of width columns
 * (negative: to the left).
 */
void dt_frames_print(dtrace_hdl_t *dtp, FILE *fp, const dtrace_recdesc_t *rec, const void *p,
		     int indent, int width);
/* dt_line_text - file and number; text. */
char *dt_line_text(const struct dt_line *line, char *text, size_t len);
/* dt_frame_text - where a frame lies, from symbol tables; text. */
char *dt_frame_text(dtrace_hdl_t *dtp, const struct dt_frame *frame, char *text, size_t len);
/* dt_symbol_text - what a record of that action (SYM MOD USYM UMOD UADDR) is shown as. */
void dt_symbol_text(dtrace_hdl_t *dtp, dtrace_actkind_t kind, const void *p, char *buf, size_t len);
/*
 * dt_symbol_name - what dt_symbol_text shows, if the name is known; else false. *off: by how much the address lies
 * behind the beginning of the function, 0 for MOD and UMOD.
 */
bool dt_symbol_name(dtrace_hdl_t *dtp, dtrace_actkind_t kind, const void *p, char *buf, size_t len,
		    uint64_t *off);
/* dt_indent - columns before stacks. */
int dt_indent(dtrace_hdl_t *dtp);

/* ---- format.c ---- */

/* One argument of a format. */
struct dt_arg {
	const dtrace_recdesc_t *rec;
	const void *data;
	const dtrace_diftype_t *rtype;
	const struct dt_type *type;
	uint64_t normal;		/* divisor of an aggregation's value */
};

/*
 * dt_format_print - print args by format. aggs: what @ conversions take, in order (the last again
 * when there are more conversions); NULL if there are none.
 */
void dt_format_print(dtrace_hdl_t *dtp, FILE *fp, const struct dt_format *format,
		     const struct dt_arg *args, uint32_t nargs, const struct dt_arg *aggs,
		     uint32_t naggs);
/* dt_format_text - likewise into a string that the caller frees; NULL and ENOMEM in the handle. */
char *dt_format_text(dtrace_hdl_t *dtp, const struct dt_format *format, const struct dt_arg *args,
		     uint32_t nargs);

/* ---- symbol_key.c: keys of sym(), mod(), usym(), umod() that have one name are one key ---- */

struct dt_symbol_keys;

/* dt_symbol_keys_needed - has an aggregation such keys? */
bool dt_symbol_keys_needed(const dt_aggid_t *id);
/*
 * dt_symbol_keys_merge - replace those in an entry by the first that had their name; *keys is made
 * at first use. 0, or -1 and ENOMEM.
 */
int dt_symbol_keys_merge(dtrace_hdl_t *dtp, struct dt_symbol_keys **keys, const dt_aggid_t *id,
			 char *entry);
void dt_symbol_keys_fini(struct dt_symbol_keys *keys);

/* ---- aggregate.c ---- */

/* What entries are sorted by: a number or the sum over a distribution, then what is at zero in it. */
struct dt_weight {
	long double sum;
	int64_t zero;
};

/* An aggregation's values over the keys, as the consumer keeps it. */
typedef struct dt_aggentry {
	struct dt_aggentry *next;	/* in the hash chain */
	const dt_aggid_t *id;
	char *data;			/* struct dtrace_aggrec, keys, value */
	uint32_t size;
	uint64_t hash;
	uint64_t normal;		/* divisor of its value */
	struct dt_weight weight;	/* when it was last sorted */
	bool cleared;			/* the next value replaces what clear() left */
	bool removed;
} dt_aggentry_t;

/* dt_aggs_add - merge a snapshot's bytes. 0 or -1. */
int dt_aggs_add(dtrace_hdl_t *dtp, const void *data, size_t size);
/*
 * dt_aggs_sorted - entries of var (NULL: of all), sorted as options say; *n of them. The caller
 * frees the array. NULL and ENOMEM, or *n 0.
 */
dt_aggentry_t **dt_aggs_sorted(dtrace_hdl_t *dtp, const dt_aggvar_t *var, size_t *n);
/* dt_agg_any - an entry of var, or NULL. */
const dt_aggentry_t *dt_agg_any(dtrace_hdl_t *dtp, const dt_aggvar_t *var);
/* dt_aggs_ordered - likewise all of them in the order given, whatever options say. */
dt_aggentry_t **dt_aggs_ordered(dtrace_hdl_t *dtp, bool bykey, bool byvar, bool reverse, size_t *n);
/* dt_aggentry_clear - value zero. dt_aggs_sweep - forget entries that are marked as removed. */
void dt_aggentry_clear(dt_aggentry_t *ent);
void dt_aggs_sweep(dtrace_hdl_t *dtp);
/* dt_agg_value - where the value of an entry begins. dt_agg_vrec - its description. */
const void *dt_agg_value(const dt_aggentry_t *ent);
const dtrace_recdesc_t *dt_agg_vrec(const dt_aggid_t *id);
/*
 * dt_agg_set_printed, dt_agg_printed - a printa() has printed it: it is not printed again at the
 * end.
 */
void dt_agg_set_printed(dtrace_hdl_t *dtp, const dt_aggvar_t *var);
bool dt_agg_printed(dtrace_hdl_t *dtp, const dt_aggvar_t *var);
void dt_agg_clear(dtrace_hdl_t *dtp, const dt_aggvar_t *var);
/* dt_agg_trunc - keep n largest (n < 0: -n smallest; 0: none). */
int dt_agg_trunc(dtrace_hdl_t *dtp, const dt_aggvar_t *var, int64_t n);
/* dt_agg_normalize - set the divisor of the entries that there are now. */
void dt_agg_normalize(dtrace_hdl_t *dtp, const dt_aggvar_t *var, uint64_t normal);
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
 * dt_aggs_joined - rows of aggregations vars, sorted as options say. The caller frees the array,
 * nothing else.
 */
struct dt_aggrow *dt_aggs_joined(dtrace_hdl_t *dtp, dt_aggvar_t *const *vars, uint32_t nvars,
				 size_t *n);

/* ---- picture.c ---- */

/* dt_picture - is this function printed as a distribution? */
bool dt_picture(dtrace_actkind_t func);
/* dt_picture_size - bytes of its value; arg: what the function is called with. */
size_t dt_picture_size(dtrace_actkind_t func, uint64_t arg);
/* dt_picture_print - the distribution at value (size bytes of rec's aggregation). */
void dt_picture_print(dtrace_hdl_t *dtp, FILE *fp, dtrace_actkind_t func, const void *value,
		      size_t size, uint64_t normal);
/* A row of a distribution. */
struct dt_bucket {
	int64_t bound;			/* the least value in it; of the first of all the least above */
	int open;			/* -1: all values below bound; 1: all from bound on; else 0 */
	int64_t count;
};

typedef void dt_bucket_f(const struct dt_bucket *bucket, void *ctx);

/* dt_picture_walk - call each for every row that dt_picture_print() would print. */
void dt_picture_walk(dtrace_actkind_t func, const void *value, size_t size, uint64_t normal,
		     dt_bucket_f *each, void *ctx);
/* dt_agg_number - what a scalar aggregation comes to: count, sum, min, max, average, deviation. */
int64_t dt_agg_number(dtrace_actkind_t func, const void *value, uint64_t normal);
/* dt_agg_weight - what to sort by: zero stays 0 for what is no distribution. */
struct dt_weight dt_agg_weight(dtrace_actkind_t func, const void *value, size_t size);
/*
 * dt_bar_add - a count of a picture: total becomes that of which bars are parts. dt_bar_print - the
 * count's bar, the count, a newline. dt_bar_heading - the titles above; width: columns of the keys
 * before the bars, 0 if bars stand behind values.
 */
void dt_bar_add(dtrace_hdl_t *dtp, int64_t count, long double *total);
void dt_bar_print(FILE *fp, int64_t count, uint64_t normal, long double total, bool positives,
		  bool negatives);
void dt_bar_heading(FILE *fp, int width);

/* ---- chart.c: agghist and aggpack, an entry a line ---- */

#define DT_CHART_KEYWIDTH	16	/* columns of a key that is no integer */

/* All entries of the aggregation that is being printed, on one scale. Begins as zeros. */
struct dt_chart {
	const dt_aggvar_t *var;
	enum { DT_CHART_NONE, DT_CHART_HIST, DT_CHART_PACK } kind;
	long double total;
	bool positives, negatives;
	int first, last;		/* buckets of quantize() */
};

/*
 * dt_chart_set - ent comes next: is it drawn in a line of its own? The titles are printed when its
 * aggregation is another than that of the one before. dt_chart_print - what stands behind its keys.
 */
bool dt_chart_set(dtrace_hdl_t *dtp, FILE *fp, struct dt_chart *chart, const dt_aggentry_t *ent);
void dt_chart_print(dtrace_hdl_t *dtp, FILE *fp, const struct dt_chart *chart,
		    const dt_aggentry_t *ent);

/* ---- printa.c ---- */

/* dt_printa - the printa() statement. 0 or -1. */
int dt_printa(dtrace_hdl_t *dtp, struct dt_consumer *con, const dt_stmt_t *stmt);
/* dt_aggs_print - all that no printa() has printed, sorted; fp NULL: to the buffered-output handler. */
int dt_aggs_print(dtrace_hdl_t *dtp, FILE *fp);
/* dt_agg_key - key number i of an entry. */
struct dt_arg dt_agg_key(const dt_aggentry_t *ent, uint32_t i);

/* ---- drop.c ---- */

/*
 * dt_drops_report - report what is lost since the last time, by comparing status with the
 * session's. 0 or -1.
 */
int dt_drops_report(dtrace_hdl_t *dtp, const dtrace_status_t *now);
/* dt_drop_tag - the name of a kind of drop, as in tags. */
const char *dt_drop_tag(dtrace_dropkind_t kind);
/* dt_drop_cpu - report drops of a CPU. */
int dt_drop_cpu(dtrace_hdl_t *dtp, dtrace_dropkind_t kind, int cpu, uint64_t drops);
/*
 * dt_fault_report - a record of the clause that reports faults. dt_fault_library - a fault of the
 * consumer's own in action number act.
 */
int dt_fault_report(dtrace_hdl_t *dtp, const dt_eprobe_t *ep, const void *data, int cpu);
int dt_fault_library(dtrace_hdl_t *dtp, const dtrace_probedata_t *probe, int act, const char *text);

#endif
