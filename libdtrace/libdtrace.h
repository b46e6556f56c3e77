/* SPDX-License-Identifier: MIT */
/*
 * libdtrace.h - the public interface of libdtrace: D programs are compiled, enabled, and what they
 * recorded is printed.
 *
 * The life of a consumer:
 *
 *	dtrace_open -> dtrace_setopt ... -> [dtrace_proc_create] -> dtrace_program_strcompile
 *	-> dtrace_program_exec -> dtrace_go -> { dtrace_sleep, dtrace_work } until DONE
 *	-> dtrace_aggregate_print -> dtrace_close
 *
 * One handle is used by one thread at a time. Unless said otherwise functions return 0, or -1 and
 * leave an error number in the handle: dtrace_errno() gives it, dtrace_errmsg() its text. Error
 * numbers are errno values or EDT_*. What a function returns by pointer belongs to the handle and
 * lives as long as it, unless said otherwise.
 */
#ifndef LIBDTRACE_H
#define LIBDTRACE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <dtrace/ioctl.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DTRACE_VERSION		3	/* of this interface; dtrace_open's first argument */

typedef struct dtrace_hdl dtrace_hdl_t;
typedef struct dtrace_prog dtrace_prog_t;

/* ---- opening, errors, options ---- */

#define DTRACE_O_NODEV		0x01	/* do not open the device: compile only */

/* Errors of the library; others are values of errno. */
enum {
	EDT_BASE = 1000,
	EDT_VERSION = EDT_BASE,		/* the library does not have the version asked for */
	EDT_COMPILER,			/* an error in the program; the text says where */
	EDT_NODEV,			/* there is no device: module not loaded */
	EDT_ACCESS,			/* no permission for the device */
	EDT_MODULE,			/* the module speaks another version of the interface */
	EDT_BADOPTNAME,			/* no option of that name */
	EDT_BADOPTVAL,			/* not a value for that option */
	EDT_BADOPTCTX,			/* the option cannot be set now */
	EDT_OPTUNSUP,			/* the option is refused; the text says why */
	EDT_NOPROBE,			/* no such probe */
	EDT_NOTARGET,			/* there is no such process */
	EDT_PROC,			/* a process could not be controlled; the text says why */
	EDT_ACTIVE,			/* tracing has begun already */
	EDT_INACTIVE,			/* tracing has not begun */
	EDT_DESTRUCTIVE,		/* destructive actions without -w */
	EDT_BADDOF,			/* the module refused the program; the text says why */
	EDT_NOMATCH,			/* a probe description matches nothing */
	EDT_BADDATA,			/* damaged trace data */
	EDT_BADDESC,			/* not a probe description */
	EDT_BADATTR,			/* not a stability */
	EDT_HANDLER,			/* the client's handler asked to abort */
	EDT_BUFTOOBIG,			/* buffers too large for the memory */
	EDT_BUFTOOSMALL,		/* a record is larger than the principal buffer */
	EDT_ENDTOOBIG,			/* a record does not fit beside those of END */
	EDT_SESSIONS,			/* the user has as many sessions as one user may have */
	EDT_USERMEM,			/* the user's sessions would take more memory than they may */
	EDT_MAX
};

/*
 * dtrace_open - a new handle. version is DTRACE_VERSION, flags DTRACE_O_*. NULL on failure, with
 * the error in *errp: EDT_NODEV, EDT_ACCESS, EDT_MODULE, EDT_VERSION, or an errno.
 */
dtrace_hdl_t *dtrace_open(int version, int flags, int *errp);
/* dtrace_close - end the session and free the handle with all that belongs to it; NULL is fine. */
void dtrace_close(dtrace_hdl_t *dtp);
/* dtrace_errno - the last error of the handle. */
int dtrace_errno(dtrace_hdl_t *dtp);
/*
 * dtrace_errmsg - text of an error; with the handle's last error the detailed text. dtp may be
 * NULL. Valid until the next call.
 */
const char *dtrace_errmsg(dtrace_hdl_t *dtp, int error);
/* dtrace_version - text of the library's version. */
const char *dtrace_version(void);
/* dtrace_language_version - the newest version of the D language that it compiles, as text. */
const char *dtrace_language_version(void);

/*
 * dtrace_setopt - set an option by name. val: text, as after -x NAME=; NULL when there was none.
 * Sizes take k m g t, times ns us ms s m h d hz (a bare number is hz), booleans yes no true false
 * on off set unset enable disable.
 */
int dtrace_setopt(dtrace_hdl_t *dtp, const char *name, const char *val);
/*
 * dtrace_getopt - value of a run-time option; DTRACEOPT_UNSET if nobody set it. Times are in ns, a
 * boolean is 0 or 1.
 */
int dtrace_getopt(dtrace_hdl_t *dtp, const char *name, dtrace_optval_t *val);
/*
 * dtrace_option_iter - call func with name and one-line description of each option; stops when it
 * returns non-zero, with that.
 */
int dtrace_option_iter(int (*func)(const char *name, const char *text, void *arg), void *arg);

/* ---- programs ---- */

/* What the fields of an incomplete probe description are, the last one given: -P, -m, -f, -n. */
typedef enum dtrace_probespec {
	DTRACE_PROBESPEC_NONE = -1,
	DTRACE_PROBESPEC_PROVIDER,
	DTRACE_PROBESPEC_MOD,
	DTRACE_PROBESPEC_FUNC,
	DTRACE_PROBESPEC_NAME
} dtrace_probespec_t;

#define DTRACE_C_DIFV		0x0001	/* print the DIF to stderr */
#define DTRACE_C_EMPTY		0x0002	/* an empty program is fine */
#define DTRACE_C_ZDEFS		0x0004	/* descriptions that match nothing are fine */
#define DTRACE_C_PSPEC		0x0020	/* take incomplete descriptions as the given kind */
#define DTRACE_C_DEFARG		0x0080	/* script arguments not given are 0 or "" */
#define DTRACE_C_NOLIBS		0x0100	/* do not load D libraries */
#define DTRACE_C_CTL		0x0200	/* the first line may be #! */
#define DTRACE_C_SUGAR		0x0400	/* print the program without ifs to stdout */
#define DTRACE_C_CPP		0x0800	/* run the C preprocessor first */

/* What the compiler and the module say of a program. */
typedef struct dtrace_proginfo {
	dtrace_attribute_t dpi_descattr;	/* least stability of its descriptions */
	dtrace_attribute_t dpi_stmtattr;	/* least stability of its statements */
	uint32_t dpi_aggregates;		/* aggregating actions */
	uint32_t dpi_recgens;			/* recording actions */
	uint32_t dpi_matches;			/* probes matched when it was enabled */
	uint32_t dpi_speculations;		/* speculative actions */
} dtrace_proginfo_t;

/*
 * dtrace_program_strcompile - compile text. cflags: DTRACE_C_*. argv: what $0, $1 ... are. NULL
 * with EDT_COMPILER on errors. The program belongs to the handle.
 */
dtrace_prog_t *dtrace_program_strcompile(dtrace_hdl_t *dtp, const char *text,
					 dtrace_probespec_t spec, uint32_t cflags, int argc,
					 char *const argv[]);
/* dtrace_program_fcompile - likewise the text that fp gives; argv[0] names it in messages. */
dtrace_prog_t *dtrace_program_fcompile(dtrace_hdl_t *dtp, FILE *fp, uint32_t cflags, int argc,
				       char *const argv[]);
/*
 * dtrace_program_exec - enable a program in the handle's session. info may be NULL. EDT_BADDOF,
 * EDT_DESTRUCTIVE, EDT_ACTIVE.
 */
int dtrace_program_exec(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_proginfo_t *info);
/*
 * dtrace_program_info - what is known of it without enabling; dpi_matches is the number of probes
 * it would match now.
 */
void dtrace_program_info(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_proginfo_t *info);
/*
 * dtrace_program_descs - call func for each probe description of the program; stops when it returns
 * non-zero, with that.
 */
int dtrace_program_descs(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
			 int (*func)(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg),
			 void *arg);
/* dtrace_dof_create - the program as DOF, malloc'ed: the caller frees it. */
void *dtrace_dof_create(dtrace_hdl_t *dtp, dtrace_prog_t *prog, size_t *size);

/* ---- tracing ---- */

/*
 * dtrace_go - begin: buffers are made, BEGIN fires. dtrace_stop - end: END fires; what was recorded
 * can still be read.
 */
int dtrace_go(dtrace_hdl_t *dtp);
int dtrace_stop(dtrace_hdl_t *dtp);
/*
 * dtrace_sleep - wait until there may be work: the next of switchrate, aggrate, statusrate, news of
 * the device or a process, or a signal.
 */
void dtrace_sleep(dtrace_hdl_t *dtp);

typedef enum {
	DTRACE_STATUS_NONE,		/* nothing new; not yet time to ask again */
	DTRACE_STATUS_OKAY,
	DTRACE_STATUS_EXITED,		/* exit() was called */
	DTRACE_STATUS_FILLED,		/* a fill buffer is full */
	DTRACE_STATUS_STOPPED		/* tracing has been stopped */
} dtrace_status_kind_t;

/*
 * dtrace_status - state of the session, a dtrace_status_kind_t; reports drops to the drop handler.
 * -1 on errors.
 */
int dtrace_status(dtrace_hdl_t *dtp);

typedef enum {
	DTRACE_WORKSTATUS_ERROR = -1,
	DTRACE_WORKSTATUS_OKAY,
	DTRACE_WORKSTATUS_DONE
} dtrace_workstatus_t;

typedef enum dtrace_flowkind {
	DTRACEFLOW_ENTRY,
	DTRACEFLOW_RETURN,
	DTRACEFLOW_NONE
} dtrace_flowkind_t;

/* A firing, as handed to the consumer's functions. */
typedef struct dtrace_probedata {
	dtrace_hdl_t *dtpda_handle;
	const dtrace_eprobedesc_t *dtpda_edesc;
	const dtrace_probedesc_t *dtpda_pdesc;
	int dtpda_cpu;
	const char *dtpda_data;			/* the record: offsets are from here */
	uint64_t dtpda_timestamp;		/* ns */
	dtrace_flowkind_t dtpda_flow;		/* for flow indentation */
	const char *dtpda_prefix;		/* arrow to print */
	int dtpda_indent;			/* columns */
} dtrace_probedata_t;

#define DTRACE_CONSUME_ERROR	(-1)	/* abort with EDT_HANDLER */
#define DTRACE_CONSUME_THIS	0	/* let the library print it */
#define DTRACE_CONSUME_NEXT	1	/* skip it */
#define DTRACE_CONSUME_ABORT	2	/* stop consuming, without an error */

/* Called before each record; result DTRACE_CONSUME_*. */
typedef int dtrace_consume_probe_f(const dtrace_probedata_t *data, void *arg);
/* Called before each action's data in it; rec is NULL after the last. */
typedef int dtrace_consume_rec_f(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
				 void *arg);

/*
 * dtrace_consume - read the buffers and print to fp (NULL: to the buffered-output handler), in
 * order of time over all CPUs.
 */
int dtrace_consume(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pfunc,
		   dtrace_consume_rec_f *rfunc, void *arg);
/*
 * dtrace_work - whatever is due: consume, take aggregations, status. When tracing is over it stops
 * it and consumes the rest.
 */
dtrace_workstatus_t dtrace_work(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pfunc,
				dtrace_consume_rec_f *rfunc, void *arg);

/* ---- structured output ---- */

/*
 * With the option oformat set to json or xml, dtrace_consume, dtrace_work and
 * dtrace_aggregate_print give records out as a structured document instead of text; drops and
 * faults become records of it too, before their handlers are called. The consumer's functions
 * should print nothing then.
 *
 * dtrace_oformat - does the option ask for it?
 */
bool dtrace_oformat(dtrace_hdl_t *dtp);
/*
 * dtrace_oformat_setup - begin the document, before dtrace_go; fp is where drops go that come
 * before the first record, NULL for the buffered-output handler. Without it output is text. Does
 * nothing, successfully, when the option is text.
 */
int dtrace_oformat_setup(dtrace_hdl_t *dtp, FILE *fp);
/* dtrace_oformat_teardown - write the end of the document; what comes after it is text again. */
int dtrace_oformat_teardown(dtrace_hdl_t *dtp);

/* ---- aggregations ---- */

/*
 * An aggregation's entry: one tuple of keys and its value. Records of dtada_desc: keys, then the
 * value.
 */
typedef struct dtrace_aggdata {
	dtrace_hdl_t *dtada_handle;
	const dtrace_aggdesc_t *dtada_desc;
	const char *dtada_name;			/* without @ */
	const char *dtada_data;			/* the entry, from its dtrace_aggrec_t on */
	size_t dtada_size;
	uint64_t dtada_normal;			/* divisor of normalize(), or 1 */
} dtrace_aggdata_t;

#define DTRACE_AGGWALK_ERROR		(-1)	/* abort */
#define DTRACE_AGGWALK_NEXT		0	/* go on */
#define DTRACE_AGGWALK_ABORT		1	/* stop, without an error */
#define DTRACE_AGGWALK_CLEAR		2	/* set this one's value to zero */
#define DTRACE_AGGWALK_REMOVE		5	/* forget this one */

typedef int dtrace_aggregate_f(const dtrace_aggdata_t *agg, void *arg);
/*
 * Called with several entries of the same keys, one for each name, in that order; NULL where a name
 * has none for these keys.
 */
typedef int dtrace_aggregate_walk_joined_f(const dtrace_aggdata_t **aggs, int naggs, void *arg);

/* dtrace_aggregate_snap - add what the CPUs have aggregated since the last time. */
int dtrace_aggregate_snap(dtrace_hdl_t *dtp);
/* dtrace_aggregate_clear - set all values to zero; keys stay. */
void dtrace_aggregate_clear(dtrace_hdl_t *dtp);
/*
 * dtrace_aggregate_print - snap's result as classic DTrace prints it at the end; func NULL: sorted
 * by value, as options say.
 */
int dtrace_aggregate_print(dtrace_hdl_t *dtp, FILE *fp, dtrace_aggregate_f *func);
/*
 * dtrace_aggregate_walk - call func for each entry, in no order; the sorted ones in theirs
 * (aggsort* options apply to walk_sorted).
 */
int dtrace_aggregate_walk(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_sorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_keysorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_valsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_keyvarsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_valvarsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_keyrevsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_valrevsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_keyvarrevsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
int dtrace_aggregate_walk_valvarrevsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
/*
 * dtrace_aggregate_walk_joined - the aggregations of names (without @), joined by key, sorted by
 * the value of the first (or as options say).
 */
int dtrace_aggregate_walk_joined(dtrace_hdl_t *dtp, const char *const *names, int n,
				 dtrace_aggregate_walk_joined_f *func, void *arg);

/* ---- handlers: what the library does not print itself ---- */

#define DTRACE_HANDLE_ABORT	(-1)
#define DTRACE_HANDLE_OK	0

/* A fault in a clause. */
typedef struct dtrace_errdata {
	dtrace_hdl_t *dteda_handle;
	const dtrace_eprobedesc_t *dteda_edesc;	/* NULL if it is not known */
	const dtrace_probedesc_t *dteda_pdesc;
	int dteda_cpu;
	int dteda_action;		/* from 1 on; 0: the predicate */
	int dteda_offset;		/* of the instruction in the DIF, or -1 */
	int dteda_fault;		/* DTRACEFLT_* */
	uint64_t dteda_addr;
	const char *dteda_msg;		/* one line, with a newline */
} dtrace_errdata_t;

typedef enum dtrace_dropkind {
	DTRACEDROP_PRINCIPAL,
	DTRACEDROP_AGGREGATION,
	DTRACEDROP_DYNAMIC,
	DTRACEDROP_DYNRINSE,
	DTRACEDROP_DYNDIRTY,
	DTRACEDROP_SPEC,
	DTRACEDROP_SPECBUSY,
	DTRACEDROP_SPECUNAVAIL,
	DTRACEDROP_STKSTROVERFLOW,
	DTRACEDROP_DBLERROR,
	DTRACEDROP_PAUSE,		/* firings of profile and tick left out: see user_interrupt_share */
	DTRACEDROP_UNATTACHED,		/* probes that match and could not be enabled */
	DTRACEDROP_MAX
} dtrace_dropkind_t;

/* Data was lost. */
typedef struct dtrace_dropdata {
	dtrace_hdl_t *dtdda_handle;
	dtrace_dropkind_t dtdda_kind;
	int dtdda_cpu;			/* or -1 */
	uint64_t dtdda_drops;		/* since the last report */
	uint64_t dtdda_total;		/* in all */
	const char *dtdda_msg;		/* one line, with a newline */
} dtrace_dropdata_t;

/* An option was changed by setopt(). */
typedef struct dtrace_setoptdata {
	dtrace_hdl_t *dtsda_handle;
	const dtrace_probedata_t *dtsda_probe;
	const char *dtsda_option;
	dtrace_optval_t dtsda_oldval;
	dtrace_optval_t dtsda_newval;
} dtrace_setoptdata_t;

/* A piece of output, when no file was given. */
typedef struct dtrace_bufdata {
	dtrace_hdl_t *dtbda_handle;
	const char *dtbda_buffered;
	const dtrace_probedata_t *dtbda_probe;		/* or NULL */
	const dtrace_recdesc_t *dtbda_recdesc;		/* or NULL */
	const dtrace_aggdata_t *dtbda_aggdata;		/* or NULL */
} dtrace_bufdata_t;

struct ps_prochandle;

/* A process came to its end, or something of it cannot be traced. */
typedef struct dtrace_procdata {
	dtrace_hdl_t *dtpcd_handle;
	pid_t dtpcd_pid;		/* 0: it is about a file, in all processes */
	int dtpcd_status;		/* as wait(2) gives it; -1 if it is not known */
	const char *dtpcd_msg;		/* what went wrong while it runs on; NULL: it ended */
} dtrace_procdata_t;

typedef int dtrace_handle_err_f(const dtrace_errdata_t *data, void *arg);
typedef int dtrace_handle_drop_f(const dtrace_dropdata_t *data, void *arg);
typedef int dtrace_handle_setopt_f(const dtrace_setoptdata_t *data, void *arg);
typedef int dtrace_handle_buffered_f(const dtrace_bufdata_t *data, void *arg);
typedef int dtrace_handle_proc_f(const dtrace_procdata_t *data, void *arg);

/*
 * A handler returns DTRACE_HANDLE_*. Without one errors and drops make dtrace_consume and
 * dtrace_status fail.
 */
int dtrace_handle_err(dtrace_hdl_t *dtp, dtrace_handle_err_f *func, void *arg);
int dtrace_handle_drop(dtrace_hdl_t *dtp, dtrace_handle_drop_f *func, void *arg);
int dtrace_handle_setopt(dtrace_hdl_t *dtp, dtrace_handle_setopt_f *func, void *arg);
int dtrace_handle_buffered(dtrace_hdl_t *dtp, dtrace_handle_buffered_f *func, void *arg);
int dtrace_handle_proc(dtrace_hdl_t *dtp, dtrace_handle_proc_f *func, void *arg);
/* dtrace_faultstr - text of a DTRACEFLT_*. */
const char *dtrace_faultstr(int fault);

/* ---- processes ---- */

/*
 * dtrace_proc_create - start a program and hold it before its main, when its libraries and their
 * probes are known. argv[0] is looked up in PATH. The first process is $target. NULL: EDT_PROC with
 * a text. A process created here is killed by dtrace_close if it runs still. If the consumer dies, it
 * goes on.
 */
struct ps_prochandle *dtrace_proc_create(dtrace_hdl_t *dtp, const char *file, char *const *argv);
/*
 * dtrace_proc_grab - take an interest in a running process; it is not stopped. NULL: EDT_NOTARGET
 * or EDT_PROC.
 */
struct ps_prochandle *dtrace_proc_grab(dtrace_hdl_t *dtp, pid_t pid);
/*
 * dtrace_proc_expect - wait, from now on, for a program to be started by anybody: the next process that
 * executes a file of that name, without its directories, or the file exactly as exec is given it if
 * there is a slash. 0, or -1: EDT_PROC with a text.
 * dtrace_proc_await - wait until one of them is there, and grab it. It is held before its main, or
 * where option evaltime says, until dtrace_proc_continue or the handle's end, and not longer than a minute. NULL: EINTR, ESRCH (none is
 * expected) or EDT_PROC.
 */
int dtrace_proc_expect(dtrace_hdl_t *dtp, const char *name);
struct ps_prochandle *dtrace_proc_await(dtrace_hdl_t *dtp);
/*
 * dtrace_proc_continue - let a process run that is held. dtrace_proc_release - forget a process; a
 * created one that was not continued is killed.
 */
void dtrace_proc_continue(dtrace_hdl_t *dtp, struct ps_prochandle *proc);
void dtrace_proc_release(dtrace_hdl_t *dtp, struct ps_prochandle *proc);
pid_t dtrace_proc_pid(const struct ps_prochandle *proc);

/* A probe site that was fired for a test. */
typedef struct dtrace_proc_fired {
	const char *module, *provider, *func, *name;	/* provider without a process's number */
	uint64_t address;		/* where a tracer traps */
	const char *fault;		/* what is wrong with it; NULL: nothing */
	unsigned int nargs;
	struct {
		uint64_t value;		/* as a tracer reads it, extended to 64 bits */
		unsigned int size;	/* bytes */
		bool is_signed, is_float;
	} args[32];
} dtrace_proc_fired_t;

/* What is done with one; not 0: no more. */
typedef int dtrace_proc_fired_f(const dtrace_proc_fired_t *fired, void *arg);

/*
 * dtrace_proc_fire - start a program as dtrace_proc_create does, carry out the instructions of each
 * probe site that it and its libraries have, once, with known arguments, and kill it: nothing of the
 * program itself runs from its main on. Whoever traces it sees the probes fire. Needs neither a
 * device nor root. Returns 0, -1 (EDT_PROC with a text), or what func returned.
 */
int dtrace_proc_fire(dtrace_hdl_t *dtp, const char *file, char *const *argv,
		     dtrace_proc_fired_f *func, void *arg);

/* ---- probes ---- */

typedef int dtrace_probe_f(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg);

/* A probe's stability and arguments. */
typedef struct dtrace_probeinfo {
	dtrace_attribute_t dtp_attr;		/* least stability of its names */
	dtrace_attribute_t dtp_arga;		/* stability of its arguments */
	uint32_t dtp_privs;			/* DTRACE_PRIV_* that its provider asks for */
	uint32_t dtp_argc;
	dtrace_argdesc_t dtp_argv[DTRACE_USDT_MAXARGS];
} dtrace_probeinfo_t;

/*
 * dtrace_probe_iter - call func for each probe that desc's patterns match (NULL: all) in order of
 * id; stops when it returns non-zero, with that.
 */
int dtrace_probe_iter(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, dtrace_probe_f *func,
		      void *arg);
/* dtrace_probe_info - stability and arguments of the probe with desc's id. */
int dtrace_probe_info(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, dtrace_probeinfo_t *info);
/*
 * dtrace_oformat_probe - a record that names a probe, in the document that dtrace_oformat_setup has
 * begun; info, its details, may be NULL.
 */
int dtrace_oformat_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc,
			 const dtrace_probeinfo_t *info);
/* dtrace_id2desc - names of the probe with that id. EDT_NOPROBE. */
int dtrace_id2desc(dtrace_hdl_t *dtp, dtrace_id_t id, dtrace_probedesc_t *desc);
/* dtrace_str2desc - take text apart; spec says what its last field is. EDT_BADDESC. */
int dtrace_str2desc(dtrace_hdl_t *dtp, dtrace_probespec_t spec, const char *text,
		    dtrace_probedesc_t *desc);
/* dtrace_desc2str - provider:module:function:name, or the id; text. */
char *dtrace_desc2str(const dtrace_probedesc_t *desc, char *text, size_t len);
/* dtrace_desc_hint - of a description that matches no probe: what is wrong with it, what to write; text. */
char *dtrace_desc_hint(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text, size_t len);
/* dtrace_attr2str - Name/Data/Class; text. dtrace_str2attr - the reverse, 0 or -1. */
char *dtrace_attr2str(dtrace_attribute_t attr, char *text, size_t len);
int dtrace_str2attr(const char *text, dtrace_attribute_t *attr);
/*
 * dtrace_stability_name, dtrace_class_name - text of a DTRACE_STABILITY_*, DTRACE_CLASS_*; NULL if
 * there is none.
 */
const char *dtrace_stability_name(unsigned int stability);
const char *dtrace_class_name(unsigned int class_);

/* ---- symbols ---- */

/*
 * dtrace_addr2str - a kernel address as module`function+0xoff, or hexadecimal. dtrace_uaddr2str -
 * an address of a process. Both: text.
 */
char *dtrace_addr2str(dtrace_hdl_t *dtp, uint64_t addr, char *text, size_t len);
char *dtrace_uaddr2str(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, char *text, size_t len);

/* ---- static probes of programs: dtrace -h and dtrace -G; no handle, no device ---- */

struct dtrace_usdt_args {
	const char *input;		/* provider file; NULL for -G: providers from the objects */
	char *const *inputs;		/* dtrace_usdt_check: provider files, instead of input */
	int ninputs;
	const char *output;		/* NULL: made from input's name */
	char **objects;
	int nobjects;
	int model;			/* 0 auto, 32, 64 */
	bool cpp;			/* preprocess input */
	const char *cpppath;		/* with this program; NULL: cpp, in PATH */
	char *const *cppargs;
	int ncppargs;
	bool verbose;
	FILE *diag;			/* where messages go */
	const char *libdir;		/* where drti.o is; NULL: the installed place */
	bool dof;			/* -G writes DOF, not an object */
	/*
	 * Compiles the input's clauses, which are helpers, to DOF (malloc'ed) for -G; called if it has
	 * any. 0, or -1 after a message.
	 */
	int (*helpers)(void *arg, void **dof, size_t *size);
	void *helpers_arg;
	/*
	 * -G: a symbol that the object defines, weak and hidden, so that the linker's -u takes it
	 * out of an archive; NULL: none
	 */
	const char *anchor;
	/*
	 * -G: what the object is for, as x86_64, i386, aarch64 or a triplet that begins so; NULL:
	 * what the objects are for, or this machine if there are none
	 */
	const char *machine;
};

/* dtrace_usdt_header - write the header of a provider file (dtrace -h); 0, or 1 after a message. */
int dtrace_usdt_header(const struct dtrace_usdt_args *args);
/*
 * dtrace_usdt_link - make the object that registers the probes of objects (dtrace -G); 0, or 1
 * after a message.
 */
int dtrace_usdt_link(const struct dtrace_usdt_args *args);

/* How a program says where a probe is. */
typedef enum {
	DTRACE_SITE_RECORDED,		/* sys/sdt.h's record, or what dtrace -G made of a call */
	DTRACE_SITE_NOTED,		/* a SystemTap note and nothing else */
	DTRACE_SITE_CALLED		/* a call that dtrace -G has not seen */
} dtrace_usdt_form_t;

typedef struct dtrace_usdt_site {
	const char *file;		/* with the member's name, if it is in an archive */
	const char *provider;
	const char *name;		/* as D writes it */
	const char *func;		/* "" if it is not known */
	uint64_t address;		/* in the file; in an object: in its section */
	bool semaphore;
	bool isenabled;			/* an is-enabled site of a rewritten call */
	dtrace_usdt_form_t form;
	/* the arguments' operands, as in SystemTap's notes: -4@%edi 8@16(%rsp) */
	const char *operands;
	bool typed;			/* something declares the types: */
	unsigned int nnatives;		/* of arg0, arg1, ... as the program passes them */
	const char *const *natives;
	unsigned int ntypes;		/* of args[] */
	const char *const *types;
	int model;			/* 32 or 64: of the file */
} dtrace_usdt_site_t;

/* Return the length of the first of a site's operands, which may have blanks in brackets. */
size_t dtrace_usdt_operand(const char *operands);

/* What is done with a site; not 0: no more. */
typedef int dtrace_usdt_site_f(const dtrace_usdt_site_t *site, void *arg);

/*
 * dtrace_usdt_list - the probe sites of args' objects, which may be objects, archives, libraries and
 * programs, in the order of the files; only objects, nobjects and diag count. Needs no device.
 * Returns 0, 1 after a message (a file cannot be read; what the others have is listed), or what func
 * returned.
 */
int dtrace_usdt_list(const struct dtrace_usdt_args *args, dtrace_usdt_site_f *func, void *arg);
/*
 * dtrace_usdt_list_proc - the same of the ELF files that a process has mapped for execution. Names of
 * providers do not have its number at their end.
 */
int dtrace_usdt_list_proc(pid_t pid, FILE *diag, dtrace_usdt_site_f *func, void *arg);

/* A probe that is declared. */
typedef struct dtrace_usdt_probe {
	const char *provider;
	const char *name;		/* as D writes it */
	unsigned int nsites;		/* in all files together */
} dtrace_usdt_probe_t;

typedef int dtrace_usdt_probe_f(const dtrace_usdt_probe_t *probe, void *arg);

/*
 * dtrace_usdt_check - hold the sites of args' objects against what args' inputs declare together or,
 * if there are none, against the declarations that are in the objects. A probe without a site, a site
 * of a declared provider that is of no declared probe, and arguments of another number or that the
 * declared types cannot hold are mistakes. func is called for each declared probe, if it is not
 * NULL. Needs no device. Returns 0, 1 after messages, or what func returned.
 */
int dtrace_usdt_check(const struct dtrace_usdt_args *args, dtrace_usdt_probe_f *func, void *arg);

#ifdef __cplusplus
}
#endif

#endif
