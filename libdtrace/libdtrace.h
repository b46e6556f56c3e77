/* SPDX-License-Identifier: MIT */
/*
 * libdtrace.h - the public interface of libdtrace. It compiles and enables D programs, and prints
 * what they record.
 *
 * The life of a consumer:
 *
 *	dtrace_open -> dtrace_setopt ... -> [dtrace_proc_create] -> dtrace_program_strcompile
 *	-> dtrace_program_exec -> dtrace_go -> { dtrace_sleep, dtrace_work } until DONE
 *	-> dtrace_aggregate_print -> dtrace_close
 *
 * One thread at a time uses a handle. These rules hold unless a function's comment says otherwise:
 *
 *	Functions return 0, or -1 and leave an error number in the handle. dtrace_errno() returns
 *	it, dtrace_errmsg() its message. Error numbers are errno values, of which ENOMEM is possible
 *	everywhere, or EDT_*.
 *	Objects that a function returns by pointer belong to the handle, and live as long as it
 *	does. Strings and structures that a caller passes are borrowed for the call only.
 *	Functions that write text to a buffer of len bytes cut it to fit, with its NUL, and return
 *	the buffer.
 *	Times are in nanoseconds, sizes in bytes.
 *	Callbacks get the argument arg as it was passed. Other pointers that they get are valid
 *	during the call.
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

#define DTRACE_VERSION 3 /* of this interface; dtrace_open's first argument */

typedef struct dtrace_hdl dtrace_hdl_t;
typedef struct dtrace_prog dtrace_prog_t;

/* ---- opening, errors, options ---- */

#define DTRACE_O_NODEV 0x01 /* do not open the device: compile only */
#define DTRACE_O_USER \
	0x02 /* the world of processes: the engine in this process, no kernel module */

/* Errors of the library; others are values of errno. */
enum {
	EDT_BASE = 1000,
	EDT_VERSION = EDT_BASE, /* the library does not have the version asked for */
	EDT_COMPILER,		/* an error in the program; the message says where */
	EDT_NODEV,		/* there is no device: module not loaded */
	EDT_ACCESS,		/* no permission for the device */
	EDT_MODULE,		/* the module speaks another version of the interface */
	EDT_BADOPTNAME,		/* no option of that name */
	EDT_BADOPTVAL,		/* not a value for that option */
	EDT_BADOPTCTX,		/* the option cannot be set now */
	EDT_OPTUNSUP,		/* the option is refused; the message says why */
	EDT_NOPROBE,		/* no such probe */
	EDT_NOTARGET,		/* there is no such process */
	EDT_PROC,		/* a process could not be controlled; the message says why */
	EDT_ACTIVE,		/* tracing has begun already */
	EDT_INACTIVE,		/* tracing has not begun */
	EDT_DESTRUCTIVE,	/* destructive actions without -w */
	EDT_BADDOF,		/* the world refused the program; the message says why */
	EDT_NOMATCH,		/* a probe description matches nothing */
	EDT_BADDATA,		/* damaged trace data */
	EDT_BADDESC,		/* not a probe description */
	EDT_BADATTR,		/* not a stability */
	EDT_HANDLER,		/* the caller's handler asked to abort */
	EDT_BUFTOOBIG,		/* buffers too large for the memory */
	EDT_BUFTOOSMALL,	/* a record is larger than the principal buffer */
	EDT_ENDTOOBIG,		/* a record does not fit beside those of END */
	EDT_SESSIONS,		/* the user has as many sessions as one user may have */
	EDT_USERMEM,		/* the user's sessions would take more memory than they may */
	EDT_PROCFS,		/* /proc shows the processes of another PID namespace */
	EDT_FILES,		/* too few files can be opened for a session */
	EDT_FILTER,		/* a filter of system calls forbids what a session needs */
	EDT_MAX
};

/*
 * Open a handle. version is DTRACE_VERSION, flags are DTRACE_O_*. Return it, for the caller to
 * close by dtrace_close(). On failure return NULL, and set *errp, unless errp is NULL: EDT_NODEV,
 * EDT_ACCESS, EDT_MODULE, EDT_SESSIONS, EDT_PROCFS, EDT_FILES, EDT_FILTER, EDT_VERSION, or an
 * errno.
 */
dtrace_hdl_t *dtrace_open(int version, int flags, int *errp);
/*
 * Return the flag of dtrace_open() that chooses a world by the name that the option world takes, 0
 * for the default world; -1: there is no such world.
 */
int dtrace_world_flag(const char *name);
/* End the session, and free the handle with all that belongs to it. NULL is allowed. */
void dtrace_close(dtrace_hdl_t *dtp);
/* Return the last error of the handle, 0 if there was none. */
int dtrace_errno(dtrace_hdl_t *dtp);
/*
 * Return the message of an error; for the last error of the handle, the detailed message. dtp may
 * be NULL. The message is valid until the next call with the handle.
 */
const char *dtrace_errmsg(dtrace_hdl_t *dtp, int error);
/* Return the version of the library: a constant string. */
const char *dtrace_version(void);
/* Return the newest version of the D language that the library compiles: a constant string. */
const char *dtrace_language_version(void);

/*
 * Set an option by name. val is its value as a string, as after -x NAME=, or NULL if there is none.
 * Sizes take k m g t, times ns us ms s m h d hz (a plain number is in hz), booleans yes no true
 * false on off set unset enable disable. Errors: EDT_BADOPTNAME, EDT_BADOPTVAL, EDT_BADOPTCTX,
 * EDT_OPTUNSUP.
 */
int dtrace_setopt(dtrace_hdl_t *dtp, const char *name, const char *val);
/*
 * Set *val to the value of a run-time option, DTRACEOPT_UNSET if it has none. Times are in
 * nanoseconds, sizes in bytes, a boolean is 0 or 1. Errors: EDT_BADOPTNAME.
 */
int dtrace_getopt(dtrace_hdl_t *dtp, const char *name, dtrace_optval_t *val);
/*
 * Call func with the name and a description in one line of each option, until it returns other than
 * 0. Return what it returned last.
 */
int dtrace_option_iter(int (*func)(const char *name, const char *description, void *arg),
		       void *arg);

/* ---- programs ---- */

/* The last field of an incomplete probe description: options -P, -m, -f, -n. */
typedef enum dtrace_probespec {
	DTRACE_PROBESPEC_NONE = -1,
	DTRACE_PROBESPEC_PROVIDER,
	DTRACE_PROBESPEC_MOD,
	DTRACE_PROBESPEC_FUNC,
	DTRACE_PROBESPEC_NAME
} dtrace_probespec_t;

#define DTRACE_C_DIFV	0x0001 /* print the DIF to stderr */
#define DTRACE_C_EMPTY	0x0002 /* an empty program is no error */
#define DTRACE_C_ZDEFS	0x0004 /* descriptions that match nothing are no error */
#define DTRACE_C_PSPEC	0x0020 /* take incomplete descriptions as the given kind */
#define DTRACE_C_DEFARG 0x0080 /* script arguments not given are 0 or "" */
#define DTRACE_C_NOLIBS 0x0100 /* do not load D libraries */
#define DTRACE_C_CTL	0x0200 /* the first line may be #! */
#define DTRACE_C_SUGAR	0x0400 /* print the program without ifs to stdout */
#define DTRACE_C_CPP	0x0800 /* run the C preprocessor first */

/* The facts that the compiler and the world know of a program. */
typedef struct dtrace_proginfo {
	dtrace_attribute_t dpi_descattr; /* least stability of its descriptions */
	dtrace_attribute_t dpi_stmtattr; /* least stability of its statements */
	uint32_t dpi_aggregates;	 /* aggregating actions */
	uint32_t dpi_recgens;		 /* recording actions */
	uint32_t dpi_matches;		 /* probes matched when it was enabled */
	uint32_t dpi_speculations;	 /* speculative actions */
} dtrace_proginfo_t;

/*
 * Compile text. spec says what an incomplete description is if cflags, which are DTRACE_C_*, have
 * DTRACE_C_PSPEC. argv has argc strings, the values of $0, $1 ... Descriptions of the pid provider
 * make their probes. Return the program, which belongs to the handle, or NULL with EDT_COMPILER or
 * ENOMEM.
 */
dtrace_prog_t *dtrace_program_strcompile(dtrace_hdl_t *dtp, const char *text,
					 dtrace_probespec_t spec, uint32_t cflags, int argc,
					 char *const argv[]);
/*
 * Compile the text that fp gives, up to its end; argv[0] names it in messages. The caller closes
 * fp. Return as dtrace_program_strcompile() does, or NULL with the errno of reading.
 */
dtrace_prog_t *dtrace_program_fcompile(dtrace_hdl_t *dtp, FILE *fp, uint32_t cflags, int argc,
				       char *const argv[]);
/*
 * Enable a program in the handle's session. info, which may be NULL, is filled in. Errors:
 * EDT_NODEV, EDT_BADDOF, EDT_DESTRUCTIVE, EDT_ACTIVE, EDT_PROC (a probe of a process cannot be
 * enabled).
 */
int dtrace_program_exec(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_proginfo_t *info);
/*
 * Fill in info without enabling the program. dpi_matches is the number of probes that it would
 * match now.
 */
void dtrace_program_info(dtrace_hdl_t *dtp, dtrace_prog_t *prog, dtrace_proginfo_t *info);
/*
 * Call func for each probe description of the program, until it returns other than 0. Return what
 * it returned last.
 */
int dtrace_program_descs(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
			 int (*func)(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg),
			 void *arg);
/*
 * Return the program as DOF, for the caller to free, and set *size to its bytes. Return NULL on
 * failure. Errors: ENOMEM.
 */
void *dtrace_dof_create(dtrace_hdl_t *dtp, dtrace_prog_t *prog, size_t *size);

/* ---- tracing ---- */

/*
 * Begin to trace: the world allocates buffers, and BEGIN fires. Errors: EDT_NODEV, EDT_ACTIVE,
 * EDT_BUFTOOBIG, EDT_BUFTOOSMALL, EDT_ENDTOOBIG, EDT_USERMEM.
 */
int dtrace_go(dtrace_hdl_t *dtp);
/*
 * End tracing: END fires. Recorded data can still be read. A second call has no effect. Errors:
 * EDT_INACTIVE, EBUSY (the world has ended the session, as its data was not read for too long).
 */
int dtrace_stop(dtrace_hdl_t *dtp);
/*
 * Wait until there may be work: until the next time of switchrate, aggrate or statusrate, news of
 * the device or of a process, or a signal.
 */
void dtrace_sleep(dtrace_hdl_t *dtp);

typedef enum {
	DTRACE_STATUS_NONE, /* nothing new; not yet time to ask again */
	DTRACE_STATUS_OKAY,
	DTRACE_STATUS_EXITED, /* exit() was called */
	DTRACE_STATUS_FILLED, /* a fill buffer is full */
	DTRACE_STATUS_STOPPED /* tracing has been stopped */
} dtrace_status_kind_t;

/*
 * Return the state of the session, a dtrace_status_kind_t, and report drops to the drop handler.
 * Return -1 on errors: EDT_INACTIVE, EDT_HANDLER, EBUSY (as dtrace_stop()).
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

/* A firing, as the consumer's functions get it. */
typedef struct dtrace_probedata {
	dtrace_hdl_t *dtpda_handle;
	const dtrace_eprobedesc_t *dtpda_edesc;
	const dtrace_probedesc_t *dtpda_pdesc;
	int dtpda_cpu;
	const char *dtpda_data;	      /* the record: offsets are from here */
	uint64_t dtpda_timestamp;     /* ns */
	dtrace_flowkind_t dtpda_flow; /* for flow indentation */
	const char *dtpda_prefix;     /* arrow to print */
	int dtpda_indent;	      /* columns */
} dtrace_probedata_t;

#define DTRACE_CONSUME_ERROR (-1) /* abort with EDT_HANDLER */
#define DTRACE_CONSUME_THIS  0	  /* let the library print it */
#define DTRACE_CONSUME_NEXT  1	  /* skip it */
#define DTRACE_CONSUME_ABORT 2	  /* stop consuming, without an error */

/* Called before each record. Return DTRACE_CONSUME_*. */
typedef int dtrace_consume_probe_f(const dtrace_probedata_t *data, void *arg);
/*
 * Called before the data of each action in it, and with rec NULL after the last. Return
 * DTRACE_CONSUME_*.
 */
typedef int dtrace_consume_rec_f(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
				 void *arg);

/*
 * Read the buffers, and print the records of all CPUs in order of time to fp, or, if fp is NULL, to
 * the buffered-output handler. pfunc and rfunc may be NULL. Errors: EDT_INACTIVE, EDT_HANDLER,
 * EDT_BADDATA, or the errno of writing.
 */
int dtrace_consume(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pfunc,
		   dtrace_consume_rec_f *rfunc, void *arg);
/*
 * Do what is due: dtrace_status(), dtrace_consume(), dtrace_aggregate_snap(). When tracing is over,
 * stop it and consume the rest; then return DTRACE_WORKSTATUS_DONE. Parameters and errors are those
 * of dtrace_consume().
 */
dtrace_workstatus_t dtrace_work(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pfunc,
				dtrace_consume_rec_f *rfunc, void *arg);

/* ---- structured output ---- */

/*
 * If the option oformat is json or xml, dtrace_consume(), dtrace_work() and
 * dtrace_aggregate_print() write records as a structured document instead of text. Drops and faults
 * become records of it too, before their handlers are called. The consumer's functions should print
 * nothing then.
 *
 * Return whether the option asks for a document.
 */
bool dtrace_oformat(dtrace_hdl_t *dtp);
/*
 * Begin the document, before dtrace_go(). Without this call output is text. fp gets drops that come
 * before the first record; NULL stands for the buffered-output handler. fp is borrowed until
 * dtrace_oformat_teardown(). If the option is text, do nothing. Errors: ENOMEM, or the errno of
 * writing.
 */
int dtrace_oformat_setup(dtrace_hdl_t *dtp, FILE *fp);
/* Write the end of the document; output after it is text again. Errors: the errno of writing. */
int dtrace_oformat_teardown(dtrace_hdl_t *dtp);

/* ---- aggregations ---- */

/*
 * An entry of an aggregation: one tuple of keys and its value. The records of dtada_desc are the
 * keys, then the value.
 */
typedef struct dtrace_aggdata {
	dtrace_hdl_t *dtada_handle;
	const dtrace_aggdesc_t *dtada_desc;
	const char *dtada_name; /* without @ */
	const char *dtada_data; /* the entry, from its dtrace_aggrec_t on */
	size_t dtada_size;
	uint64_t dtada_normal; /* divisor of normalize(), or 1 */
	/*
	 * The value of each CPU by its number, NULL if it has none. Without the option aggpercpu,
	 * or after clear(): no array, and dtada_ncpus is 0.
	 */
	const void *const *dtada_percpu;
	unsigned int dtada_ncpus;
} dtrace_aggdata_t;

#define DTRACE_AGGWALK_ERROR  (-1) /* abort */
#define DTRACE_AGGWALK_NEXT   0	   /* go on */
#define DTRACE_AGGWALK_ABORT  1	   /* stop, without an error */
#define DTRACE_AGGWALK_CLEAR  2	   /* set the value of this entry to zero */
#define DTRACE_AGGWALK_REMOVE 5	   /* remove this entry */

/* Called with each entry. Return DTRACE_AGGWALK_*. */
typedef int dtrace_aggregate_f(const dtrace_aggdata_t *agg, void *arg);
/*
 * Called with naggs entries of the same keys, one for each name, in the order of the names; NULL
 * where an aggregation has no entry for these keys. Return DTRACE_AGGWALK_*.
 */
typedef int dtrace_aggregate_walk_joined_f(const dtrace_aggdata_t **aggs, int naggs, void *arg);

/* Add what the CPUs have aggregated since the last call. Errors: EDT_INACTIVE, EDT_BADDATA. */
int dtrace_aggregate_snap(dtrace_hdl_t *dtp);
/* Set all values to zero; keys stay. */
void dtrace_aggregate_clear(dtrace_hdl_t *dtp);
/*
 * Print to fp what dtrace_aggregate_snap() has added, as DTrace does at the end, except
 * aggregations that a printa() has printed. Entries are sorted as options say. fp NULL: print to
 * the buffered-output handler. If func is not NULL, call it for each entry instead, with fp as arg,
 * as dtrace_aggregate_walk_sorted() does. Errors: EDT_HANDLER.
 */
int dtrace_aggregate_print(dtrace_hdl_t *dtp, FILE *fp, dtrace_aggregate_f *func);
/*
 * Call func for each entry, in any order, and do what it returns. Errors: EDT_HANDLER (func has
 * returned DTRACE_AGGWALK_ERROR).
 */
int dtrace_aggregate_walk(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
/* Visit entries in the order of the options aggsortkey, aggsortkeypos, aggsortpos, aggsortrev. */
int dtrace_aggregate_walk_sorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
/* Visit entries in the order of keys; those with the same keys in the order of values. */
int dtrace_aggregate_walk_keysorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
/* Visit entries in the order of values; those with the same value in the order of keys. */
int dtrace_aggregate_walk_valsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
/* Visit one aggregation after another, each in the order of keys. */
int dtrace_aggregate_walk_keyvarsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
/* Visit one aggregation after another, each in the order of values. */
int dtrace_aggregate_walk_valvarsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
/* Visit entries as dtrace_aggregate_walk_keysorted() does, the last first. */
int dtrace_aggregate_walk_keyrevsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
/* Visit entries as dtrace_aggregate_walk_valsorted() does, the last first. */
int dtrace_aggregate_walk_valrevsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
/* Visit aggregations in their order, each in the reverse order of keys. */
int dtrace_aggregate_walk_keyvarrevsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
/* Visit aggregations in their order, each in the reverse order of values. */
int dtrace_aggregate_walk_valvarrevsorted(dtrace_hdl_t *dtp, dtrace_aggregate_f *func, void *arg);
/*
 * Call func for each tuple of keys that one of n aggregations has. names are without @. The order
 * is that of the values of the first, or as options say. func can stop the walk, but not clear or
 * remove entries. Errors: EDT_HANDLER, EINVAL (there is no aggregation of a name).
 */
int dtrace_aggregate_walk_joined(dtrace_hdl_t *dtp, const char *const *names, int n,
				 dtrace_aggregate_walk_joined_f *func, void *arg);

/* ---- handlers: what the library does not print itself ---- */

#define DTRACE_HANDLE_ABORT (-1)
#define DTRACE_HANDLE_OK    0

/* A fault of a clause. */
typedef struct dtrace_errdata {
	dtrace_hdl_t *dteda_handle;
	const dtrace_eprobedesc_t *dteda_edesc; /* NULL if it is not known */
	const dtrace_probedesc_t *dteda_pdesc;
	int dteda_cpu;
	int dteda_action; /* from 1 on; 0: the predicate */
	int dteda_offset; /* of the DIF instruction, or -1 */
	int dteda_fault;  /* DTRACEFLT_* */
	uint64_t dteda_addr;
	const char *dteda_msg; /* one line, with a newline */
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
	DTRACEDROP_PAUSE,      /* skipped firings of profile and tick: see user_interrupt_share */
	DTRACEDROP_UNATTACHED, /* probes that match and could not be enabled */
	DTRACEDROP_MISSED,     /* events that probes could not fire for */
	DTRACEDROP_MAX
} dtrace_dropkind_t;

/* Data was lost. */
typedef struct dtrace_dropdata {
	dtrace_hdl_t *dtdda_handle;
	dtrace_dropkind_t dtdda_kind;
	int dtdda_cpu;	       /* or -1 */
	uint64_t dtdda_drops;  /* since the last report */
	uint64_t dtdda_total;  /* in all */
	const char *dtdda_msg; /* one line, with a newline */
} dtrace_dropdata_t;

/* An option was changed by setopt(). */
typedef struct dtrace_setoptdata {
	dtrace_hdl_t *dtsda_handle;
	const dtrace_probedata_t *dtsda_probe;
	const char *dtsda_option;
	dtrace_optval_t dtsda_oldval;
	dtrace_optval_t dtsda_newval;
} dtrace_setoptdata_t;

/* A block of output, when no file was given. */
typedef struct dtrace_bufdata {
	dtrace_hdl_t *dtbda_handle;
	const char *dtbda_buffered;
	const dtrace_probedata_t *dtbda_probe; /* or NULL */
	const dtrace_recdesc_t *dtbda_recdesc; /* or NULL */
	const dtrace_aggdata_t *dtbda_aggdata; /* or NULL */
} dtrace_bufdata_t;

struct ps_prochandle;

/* A process has ended, or something of it cannot be traced. */
typedef struct dtrace_procdata {
	dtrace_hdl_t *dtpcd_handle;
	pid_t dtpcd_pid;       /* 0: a file in all processes */
	int dtpcd_status;      /* as wait(2) gives it; -1 if it is not known */
	const char *dtpcd_msg; /* what cannot be traced; NULL: the process has ended */
} dtrace_procdata_t;

typedef int dtrace_handle_err_f(const dtrace_errdata_t *data, void *arg);
typedef int dtrace_handle_drop_f(const dtrace_dropdata_t *data, void *arg);
typedef int dtrace_handle_setopt_f(const dtrace_setoptdata_t *data, void *arg);
typedef int dtrace_handle_buffered_f(const dtrace_bufdata_t *data, void *arg);
typedef int dtrace_handle_proc_f(const dtrace_procdata_t *data, void *arg);

/*
 * The functions below set a handler, or none if func is NULL. A handler returns DTRACE_HANDLE_*.
 * arg is borrowed until the handle is closed or another handler is set. They return 0.
 */
/* Set the handler of faults. Without one, a fault makes dtrace_consume() fail: EDT_HANDLER. */
int dtrace_handle_err(dtrace_hdl_t *dtp, dtrace_handle_err_f *func, void *arg);
/* Set the handler of drops. Without one, a drop makes its reader fail: EDT_HANDLER. */
int dtrace_handle_drop(dtrace_hdl_t *dtp, dtrace_handle_drop_f *func, void *arg);
/* Set the handler of options that setopt() changes. Without one, nothing is called. */
int dtrace_handle_setopt(dtrace_hdl_t *dtp, dtrace_handle_setopt_f *func, void *arg);
/* Set the handler of output that has no file. Without one, such output fails: EDT_HANDLER. */
int dtrace_handle_buffered(dtrace_hdl_t *dtp, dtrace_handle_buffered_f *func, void *arg);
/* Set the handler of processes. Without one, their ends and troubles are ignored. */
int dtrace_handle_proc(dtrace_hdl_t *dtp, dtrace_handle_proc_f *func, void *arg);
/* Return the message of a DTRACEFLT_*: a constant string. */
const char *dtrace_faultstr(int fault);

/* ---- processes ---- */

/*
 * Start a program, and stop it before its main, when its libraries and their probes are known, or
 * where option evaltime says. file is looked up in PATH. argv ends with NULL. The first process of
 * a handle is $target. Return the process, or NULL with EDT_PROC. dtrace_close() kills the process
 * if it still runs. If the consumer dies, the process goes on.
 */
struct ps_prochandle *dtrace_proc_create(dtrace_hdl_t *dtp, const char *file, char *const *argv);
/*
 * Add a running process to the session, without stopping it. Return it, or NULL with EDT_NOTARGET
 * or an errno.
 */
struct ps_prochandle *dtrace_proc_grab(dtrace_hdl_t *dtp, pid_t pid);
/*
 * Expect, from now on, that a process executes a program: a file of this name without its
 * directories, or, if the name has a slash, the file exactly as exec is given it. Errors: EDT_PROC.
 */
int dtrace_proc_expect(dtrace_hdl_t *dtp, const char *name);
/*
 * Wait until an expected process exists, and grab it. It is stopped before its main, or as the
 * option evaltime says, until dtrace_proc_continue() or the end of the handle, and for a minute at
 * most; in the user world, in its start-up object for 30 seconds at most. Return it, or NULL with
 * EINTR, ESRCH (none is expected), EDT_NOTARGET or EDT_PROC.
 */
struct ps_prochandle *dtrace_proc_await(dtrace_hdl_t *dtp);
/* Let a stopped process go on. For other processes do nothing. */
void dtrace_proc_continue(dtrace_hdl_t *dtp, struct ps_prochandle *proc);
/*
 * Remove a process from the session, and free proc. A created process that was not continued is
 * killed.
 */
void dtrace_proc_release(dtrace_hdl_t *dtp, struct ps_prochandle *proc);
/* Return the number of a process. */
pid_t dtrace_proc_pid(const struct ps_prochandle *proc);

/* A probe site that was fired for a test. */
typedef struct dtrace_proc_fired {
	const char *module, *provider, *func, *name; /* provider: without the process's number */
	uint64_t address;			     /* where a tracer traps */
	const char *fault; /* what is wrong with the site; NULL: nothing */
	unsigned int nargs;
	struct {
		uint64_t value;	   /* as a tracer reads it, extended to 64 bits */
		unsigned int size; /* bytes */
		bool is_signed, is_float;
	} args[32];
} dtrace_proc_fired_t;

/* Called with each fired site. Return 0 to go on, anything else to stop. */
typedef int dtrace_proc_fired_f(const dtrace_proc_fired_t *fired, void *arg);

/*
 * Start a program as dtrace_proc_create() does, execute the instructions of each probe site of it
 * and its libraries once, with known arguments, and kill it. Its main does not run. A tracer of the
 * program sees the probes fire. No device and no root rights are needed. Return 0, -1 with
 * EDT_PROC, or what func returned.
 */
int dtrace_proc_fire(dtrace_hdl_t *dtp, const char *file, char *const *argv,
		     dtrace_proc_fired_f *func, void *arg);

/* ---- probes ---- */

/* Called with each probe. Return 0 to go on, anything else to stop. */
typedef int dtrace_probe_f(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg);

/* A probe's stability and arguments. */
typedef struct dtrace_probeinfo {
	dtrace_attribute_t dtp_attr; /* least stability of its names */
	dtrace_attribute_t dtp_arga; /* stability of its arguments */
	uint32_t dtp_privs;	     /* DTRACE_PRIV_* that its provider requires */
	uint32_t dtp_argc;
	dtrace_argdesc_t dtp_argv[DTRACE_USDT_MAXARGS];
} dtrace_probeinfo_t;

/*
 * Call func for each probe that the patterns of desc match, or, if desc is NULL, for all, in the
 * order of their ids, until it returns other than 0. Return what it returned last, or -1:
 * EDT_NODEV.
 */
int dtrace_probe_iter(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, dtrace_probe_f *func,
		      void *arg);
/* Fill in info for the probe with the id of desc. Errors: EDT_NODEV, EDT_NOPROBE. */
int dtrace_probe_info(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, dtrace_probeinfo_t *info);
/*
 * Write a record that names a probe to the document that dtrace_oformat_setup() has begun. info,
 * its details, may be NULL. Errors: EINVAL (there is no document), ENOMEM, or the errno of writing.
 */
int dtrace_oformat_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc,
			 const dtrace_probeinfo_t *info);
/* Set *desc to the names of the probe with an id. Errors: EDT_NODEV, EDT_NOPROBE. */
int dtrace_id2desc(dtrace_hdl_t *dtp, dtrace_id_t id, dtrace_probedesc_t *desc);
/* Parse a probe description; spec says what its last field is. Errors: EDT_BADDESC. */
int dtrace_str2desc(dtrace_hdl_t *dtp, dtrace_probespec_t spec, const char *text,
		    dtrace_probedesc_t *desc);
/* Write provider:module:function:name, or the id, to buf. */
char *dtrace_desc2str(const dtrace_probedesc_t *desc, char *buf, size_t len);
/* Write to buf a hint for a description that matches no probe: what would match. */
char *dtrace_desc_hint(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *buf, size_t len);
/*
 * Write to buf what is likely to surprise the user of a description that matches probes. NULL:
 * there is nothing to say.
 */
char *dtrace_desc_remark(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *buf, size_t len);
/* Write a stability as Name/Data/Class to buf. */
char *dtrace_attr2str(dtrace_attribute_t attr, char *buf, size_t len);
/*
 * Set *attr to the stability in a string Name/Data/Class. Return 0, or -1 if the string is not
 * valid.
 */
int dtrace_str2attr(const char *string, dtrace_attribute_t *attr);
/* Return the name of a DTRACE_STABILITY_*: a constant; NULL if there is none. */
const char *dtrace_stability_name(unsigned int stability);
/* Return the name of a DTRACE_CLASS_*: a constant; NULL if there is none. */
const char *dtrace_class_name(unsigned int class_);

/* ---- symbols ---- */

/* Write a kernel address to buf as module`function+0xoff, or in hexadecimal. */
char *dtrace_addr2str(dtrace_hdl_t *dtp, uint64_t addr, char *buf, size_t len);
/* Write an address of a process to buf as object`function+0xoff, or in hexadecimal. */
char *dtrace_uaddr2str(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, char *buf, size_t len);

/*
 * ---- static probes of programs: dtrace -h and dtrace -G; no handle, no device ----
 *
 * Messages go to the stream diag of the arguments, to stderr if it is NULL.
 */

struct dtrace_usdt_args {
	const char *input;   /* provider file; NULL for -G: providers from the objects */
	char *const *inputs; /* dtrace_usdt_check: provider files, instead of input */
	int ninputs;
	const char *output; /* NULL: made from input's name */
	char **objects;
	int nobjects;
	int model;	     /* 0 auto, 32, 64 */
	bool cpp;	     /* preprocess input */
	const char *cpppath; /* with this program; NULL: cpp, in PATH */
	char *const *cppargs;
	int ncppargs;
	bool verbose;
	FILE *diag;	    /* for messages; NULL: stderr */
	const char *libdir; /* folder of drti.o; NULL: the installed one */
	bool dof;	    /* -G writes DOF, not an object */
	/*
	 * Called if the input has clauses, which are ustack helpers: compile them to DOF for -G.
	 * Set *dof, which the library frees, and *size. Return 0, or -1 after a message.
	 */
	int (*helpers)(void *arg, void **dof, size_t *size);
	void *helpers_arg;
	/*
	 * -G: a symbol that the object defines, weak and hidden, so that the linker takes the
	 * object from an archive by -u; NULL: none
	 */
	const char *anchor;
	/*
	 * -G: the machine of the object, such as x86_64, i386, aarch64, or a triplet that begins
	 * so; NULL: that of the objects, or this machine if there are none
	 */
	const char *machine;
};

/* Write the header of a provider file (dtrace -h). Return 0, or 1 after a message. */
int dtrace_usdt_header(const struct dtrace_usdt_args *args);
/*
 * Write the object that registers the probes of args' objects, and rewrite their call sites in
 * place (dtrace -G). Return 0, or 1 after a message.
 */
int dtrace_usdt_link(const struct dtrace_usdt_args *args);

/* How a program declares the location of a probe. */
typedef enum {
	DTRACE_SITE_RECORDED, /* sys/sdt.h's record, or what dtrace -G made of a call */
	DTRACE_SITE_NOTED,    /* a SystemTap note and nothing else */
	DTRACE_SITE_CALL      /* a call site that dtrace -G has not rewritten */
} dtrace_usdt_form_t;

typedef struct dtrace_usdt_site {
	const char *file; /* with the member's name, if it is in an archive */
	const char *provider;
	const char *name; /* as D writes it */
	const char *func; /* "" if it is not known */
	uint64_t address; /* in the file; in an object: in its section */
	bool semaphore;
	bool isenabled; /* an is-enabled site of a rewritten call */
	dtrace_usdt_form_t form;
	/* the arguments' operands, as in SystemTap's notes: -4@%edi 8@16(%rsp) */
	const char *operands;
	bool typed;	       /* something declares the types: */
	unsigned int nnatives; /* of arg0, arg1, ... as the program passes them */
	const char *const *natives;
	unsigned int ntypes; /* of args[] */
	const char *const *types;
	int model; /* 32 or 64: of the file */
} dtrace_usdt_site_t;

/* Return the length of the first of a site's operands, which may have blanks in brackets. */
size_t dtrace_usdt_operand(const char *operands);

/* Called with each site. Return 0 to go on, anything else to stop. */
typedef int dtrace_usdt_site_f(const dtrace_usdt_site_t *site, void *arg);

/*
 * Call func for each probe site of args' objects, which may be objects, archives, libraries and
 * programs, in the order of the files. Only the members objects, nobjects and diag are used. Return
 * 0, 1 after a message (a file cannot be read; the sites of the others are listed), or what func
 * returned.
 */
int dtrace_usdt_list(const struct dtrace_usdt_args *args, dtrace_usdt_site_f *func, void *arg);
/*
 * Call func for each probe site of the ELF files that a process has mapped for execution. Names of
 * providers are without its number. diag is for messages; NULL: stderr. Return as
 * dtrace_usdt_list() does.
 */
int dtrace_usdt_list_proc(pid_t pid, FILE *diag, dtrace_usdt_site_f *func, void *arg);

/* A probe that is declared. */
typedef struct dtrace_usdt_probe {
	const char *provider;
	const char *name;    /* as D writes it */
	unsigned int nsites; /* in all files together */
} dtrace_usdt_probe_t;

/* Called with each declared probe. Return 0 to go on, anything else to stop. */
typedef int dtrace_usdt_probe_f(const dtrace_usdt_probe_t *probe, void *arg);

/*
 * Compare the sites of args' objects with the declarations of args' inputs or, if there are none,
 * with those in the objects. Mistakes are a probe without a site, a site of a declared provider
 * that is of no declared probe, and arguments whose number or types differ from the declaration.
 * func, which may be NULL, is called for each declared probe. Return 0, 1 after messages, or what
 * func returned.
 */
int dtrace_usdt_check(const struct dtrace_usdt_args *args, dtrace_usdt_probe_f *func, void *arg);

#ifdef __cplusplus
}
#endif

#endif
