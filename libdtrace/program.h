/* SPDX-License-Identifier: MIT */
/*
 * program.h - a compiled D program, which compile/ makes and program.c executes.
 *
 * A program is a list of clauses. A clause has probe descriptions, a predicate, and statements; a
 * statement becomes one or more actions of the engine (a printf one per argument), each with a
 * DIFO. All actions of a statement carry its number (dt_stmt.id) as uarg, by which the consumer
 * finds it again when it reads a record.
 */
#ifndef DT_PROGRAM_H
#define DT_PROGRAM_H

#include <stdbool.h>
#include <dtrace/ioctl.h>
#include "libdtrace.h"
#include "arena.h"

struct dt_format; /* parsed printf or printa format: compile/format.h */
struct dt_type;	  /* C or D type: compile/type.h */

typedef struct dt_difo {
	dif_instr_t *text;
	uint32_t len; /* instructions */
	uint64_t *inttab;
	uint32_t intlen;
	char *strtab; /* first and last byte NUL */
	uint32_t strlen;
	dtrace_difv_t *vartab;
	uint32_t varlen;
	dtrace_diftype_t rtype;
	const struct dt_type *type; /* C type of the result; may be NULL */
	bool destructive;
	bool pending; /* it takes args[] of probes that did not exist when it was compiled */
} dt_difo_t;

typedef struct dt_action {
	dtrace_actkind_t kind; /* DTRACEACT_* */
	uint32_t ntuple;       /* see dof_actdesc_t */
	uint64_t arg;
	dt_difo_t *difo; /* or NULL */
} dt_action_t;

/* The consumer's part of a statement. */
typedef enum dt_stmt_kind {
	DT_STMT_TRACE, /* trace(): print one value */
	DT_STMT_TRACEMEM,
	DT_STMT_PRINTM,
	DT_STMT_PRINT,
	DT_STMT_PRINTF,
	DT_STMT_PRINTA,
	DT_STMT_SYSTEM,
	DT_STMT_FREOPEN,
	DT_STMT_STACK,
	DT_STMT_USTACK,
	DT_STMT_JSTACK,
	DT_STMT_SYM,
	DT_STMT_MOD,
	DT_STMT_USYM,
	DT_STMT_UMOD,
	DT_STMT_UADDR,
	DT_STMT_AGG, /* @x[...] = func(): nothing to do for records */
	DT_STMT_CLEAR,
	DT_STMT_TRUNC,
	DT_STMT_NORMALIZE,
	DT_STMT_DENORMALIZE,
	DT_STMT_SETOPT,
	DT_STMT_FTRUNCATE,
	DT_STMT_EXIT,
	DT_STMT_SPECULATE,
	DT_STMT_COMMIT,
	DT_STMT_DISCARD,
	DT_STMT_STOP,
	DT_STMT_RAISE,
	DT_STMT_CHILL,
	DT_STMT_PANIC,
	DT_STMT_BREAKPOINT,
	DT_STMT_EXPR /* evaluated for its effect only; records nothing */
} dt_stmt_kind_t;

/* An aggregation as the program names it; owned by the handle, unique by name in it. */
typedef struct dt_aggvar {
	char *name;	       /* without @; "_" for the anonymous one */
	uint32_t id;	       /* from 1 on */
	dtrace_actkind_t func; /* DTRACEAGG_* or 0 while unknown */
	uint32_t nkeys;
	const struct dt_type **keytypes; /* nkeys of them, for printing */
	uint64_t arg;			 /* of lquantize and llquantize */
	struct dt_aggvar *next;
} dt_aggvar_t;

typedef struct dt_stmt {
	uint32_t id; /* index in dtp->stmts, from 1 on */
	dt_stmt_kind_t kind;
	dt_action_t *actions; /* in the order of the records */
	uint32_t nactions;
	struct dt_format *format; /* printf, printa, system, freopen; or NULL */
	dt_aggvar_t **aggs;	  /* printa, clear, trunc, normalize: those named */
	uint32_t naggs;
	struct dt_clause *clause;
	uint32_t line; /* in the clause's file */
} dt_stmt_t;

typedef struct dt_clause {
	dtrace_probedesc_t *descs; /* each makes an ECB description */
	uint32_t ndescs;
	dt_difo_t *predicate; /* or NULL */
	dt_stmt_t **stmts;
	uint32_t nstmts;
	uint32_t id;		     /* from 1 on, unique in the handle; dofe_uarg */
	uint32_t does;		     /* what its actions so far are: compile/action.c */
	dtrace_attribute_t stmtattr; /* the least stability of its predicate and statements */
	const char *file;	     /* where it is; NULL: the text has no name */
	uint32_t line;		     /* of its predicate */
	bool helper;		     /* of dtrace:helper: for dtrace -G, it is at no probe */
	struct dt_clause *next;
} dt_clause_t;

struct dtrace_prog {
	dt_clause_t *clauses;
	uint32_t nclauses;
	struct arena arena;	  /* all that it consists of */
	struct dtrace_prog *next; /* list of the handle, which owns it */
};

/* ---- compile/ offers ---- */

/*
 * Compile text.
 *	file		its name in messages; NULL for text of the command line, in which a clause
 *			may be a probe description alone
 *	spec, flags	as of dtrace_program_strcompile()
 *	argc, argv	the values of $0, $1 ...
 * Return the program, which the caller adds to the handle's list. On errors return NULL with
 * EDT_COMPILER, and the message with tag, source line and caret; or with ENOMEM.
 */
dtrace_prog_t *dt_compile(dtrace_hdl_t *dtp, const char *file, const char *text,
			  dtrace_probespec_t spec, uint32_t flags, int argc, char *const argv[]);
/* Free a program with its clauses and statements. */
void dt_prog_destroy(dtrace_hdl_t *dtp, dtrace_prog_t *prog);
/*
 * Make the handle's part of the compiler: types, global names, D libraries. Return 0, or -1 with an
 * error in the handle.
 */
int dt_compiler_init(dtrace_hdl_t *dtp);
/* Free it. */
void dt_compiler_fini(dtrace_hdl_t *dtp);
/*
 * Write the types of the arguments of one of the kernel's own probes (fbt, sdt, rawtp) to args,
 * at most max. Return their number; -1 if it is no such probe, or its types are not known.
 */
int dt_kernel_probe_args(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, dtrace_argdesc_t *args,
			 int max);
/* Return the stability of the names in a probe description. */
dtrace_attribute_t dt_desc_stability(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc);
/* Print a DIFO as -S does. */
void dt_dis(const dt_difo_t *difo, FILE *fp);
/* Write a type as C to buf, cut to len bytes. Return buf. */
const char *dt_type_name(const struct dt_type *type, char *buf, size_t len);
/* Return whether a type is a signed integer. */
bool dt_type_signed(const struct dt_type *type);
/* Return the size of a type in bytes. */
size_t dt_type_size(const struct dt_type *type);

/* ---- the root of the library offers ---- */

/* Set dtrace_errno(), without a text. Return -1. */
int dt_set_errno(dtrace_hdl_t *dtp, int err);
/* Set EDT_COMPILER, and the text that dtrace_errmsg() returns. Return -1. */
int dt_set_errmsg(dtrace_hdl_t *dtp, const char *message);
/* Print a line to stderr, if option debug or DTRACE_DEBUG in the environment is set. */
void dt_debug(const dtrace_hdl_t *dtp, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Return the value of a run-time option, DTRACEOPT_UNSET if it has none. */
dtrace_optval_t dt_option(dtrace_hdl_t *dtp, int option);
/* Return the statement of a number, or NULL. */
dt_stmt_t *dt_stmt_find(dtrace_hdl_t *dtp, uint64_t id);
/* Give a statement its number. Return it, 0 with ENOMEM. */
uint32_t dt_stmt_register(dtrace_hdl_t *dtp, dt_stmt_t *stmt);
/*
 * Set args to the types of the arguments of the first probe that pdp matches, at most max. Return
 * their number, or -1 with errno: ESRCH if no probe matches.
 */
int dt_probe_args(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, dtrace_argdesc_t *args,
		  int max);
/*
 * Return whether a description is of the provider kinst, or instr, and names no single function.
 */
bool dt_probe_is_broad(const dtrace_probedesc_t *desc);
/*
 * Return why a provider refuses to make the probe of a description, by the error that
 * dt_probe_args() has left in errno: the text of a hint; NULL if that is no such error.
 */
const char *dt_probe_failure(const dtrace_probedesc_t *desc, int error);

/* Free all programs of the handle. */
void dt_programs_fini(dtrace_hdl_t *dtp);
/*
 * Enable the clause that reports faults, the errclause of the session, once. Return 0, or -1 with
 * an error.
 */
int dt_error_program(dtrace_hdl_t *dtp);

#endif
