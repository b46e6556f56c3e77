/* SPDX-License-Identifier: MIT */
/*
 * program.h - a compiled D program: what compile/ makes and consume/ carries out.
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

struct dt_format;		/* parsed printf or printa format: compile/format.h */
struct dt_type;			/* C or D type: compile/type.h */

typedef struct dt_difo {
	dif_instr_t *text;
	uint32_t len;			/* instructions */
	uint64_t *inttab;
	uint32_t intlen;
	char *strtab;			/* first and last byte NUL */
	uint32_t strlen;
	dtrace_difv_t *vartab;
	uint32_t varlen;
	dtrace_diftype_t rtype;
	const struct dt_type *type;	/* C type of the result; may be NULL */
	bool destructive;
} dt_difo_t;

typedef struct dt_action {
	dtrace_actkind_t kind;		/* DTRACEACT_* */
	uint32_t ntuple;		/* see dof_actdesc_t */
	uint64_t arg;
	dt_difo_t *difo;		/* or NULL */
} dt_action_t;

/* What the consumer does with a statement's records. */
typedef enum dt_stmt_kind {
	DT_STMT_TRACE,			/* trace(): print one value */
	DT_STMT_TRACEMEM, DT_STMT_PRINTM, DT_STMT_PRINT, DT_STMT_PRINTF, DT_STMT_PRINTA,
	DT_STMT_SYSTEM,
	DT_STMT_FREOPEN,
	DT_STMT_STACK, DT_STMT_USTACK, DT_STMT_JSTACK, DT_STMT_SYM, DT_STMT_MOD,
	DT_STMT_USYM, DT_STMT_UMOD, DT_STMT_UADDR,
	DT_STMT_AGG,			/* @x[...] = func(): nothing to do for records */
	DT_STMT_CLEAR, DT_STMT_TRUNC, DT_STMT_NORMALIZE, DT_STMT_DENORMALIZE, DT_STMT_SETOPT,
	DT_STMT_FTRUNCATE,
	DT_STMT_EXIT, DT_STMT_SPECULATE, DT_STMT_COMMIT, DT_STMT_DISCARD,
	DT_STMT_STOP, DT_STMT_RAISE, DT_STMT_CHILL, DT_STMT_PANIC, DT_STMT_BREAKPOINT,
	DT_STMT_EXPR			/* evaluated for its effect only; records nothing */
} dt_stmt_kind_t;

/* An aggregation as the program names it; owned by the handle, unique by name in it. */
typedef struct dt_aggvar {
	char *name;			/* without @; "_" for the anonymous one */
	uint32_t id;			/* from 1 on */
	dtrace_actkind_t func;		/* DTRACEAGG_* or 0 while unknown */
	uint32_t nkeys;
	const struct dt_type **keytypes;	/* nkeys of them, for printing */
	uint64_t arg;			/* of lquantize and llquantize */
	struct dt_aggvar *next;
} dt_aggvar_t;

typedef struct dt_stmt {
	uint32_t id;			/* index in dtp->stmts, from 1 on */
	dt_stmt_kind_t kind;
	dt_action_t *actions;		/* in the order of the records */
	uint32_t nactions;
	struct dt_format *format;	/* printf, printa, system, freopen; or NULL */
	dt_aggvar_t **aggs;		/* printa, clear, trunc, normalize: those named */
	uint32_t naggs;
	struct dt_clause *clause;
	uint32_t line;			/* in the clause's file */
} dt_stmt_t;

typedef struct dt_clause {
	dtrace_probedesc_t *descs;	/* each makes an ECB description */
	uint32_t ndescs;
	dt_difo_t *predicate;		/* or NULL */
	dt_stmt_t **stmts;
	uint32_t nstmts;
	uint32_t id;			/* from 1 on, unique in the handle; dofe_uarg */
	uint32_t does;			/* what its actions so far are: compile/action.c */
	dtrace_attribute_t stmtattr;	/* the least stability of its predicate and statements */
	const char *file;		/* where it is; NULL: the text has no name */
	uint32_t line;			/* of its predicate */
	bool helper;			/* of dtrace:helper: for dtrace -G, it is at no probe */
	struct dt_clause *next;
} dt_clause_t;

struct dtrace_prog {
	dt_clause_t *clauses;
	uint32_t nclauses;
	struct arena arena;		/* all that it consists of */
	struct dtrace_prog *next;	/* list of the handle, which owns it */
};

/* ---- compile/ offers ---- */

/*
 * dt_compile - compile text (named file in messages; line numbers from 1) with flags DTRACE_C_*;
 * argc, argv are $0.. macro arguments. file is NULL for text of the command line, in which a clause
 * may be a mere probe description. NULL on errors, then dtrace_errno is EDT_COMPILER and
 * dtrace_errmsg the located text with tag, source line and caret.
 */
dtrace_prog_t *dt_compile(dtrace_hdl_t *dtp, const char *file, const char *text,
			  dtrace_probespec_t spec, uint32_t flags, int argc, char *const argv[]);
/* dt_prog_destroy - free a program with its clauses and statements. */
void dt_prog_destroy(dtrace_hdl_t *dtp, dtrace_prog_t *prog);
/*
 * dt_compiler_init, dt_compiler_fini - the handle's part of the compiler: types, global names,
 * libraries. 0 or -1 with dtrace_errno.
 */
int dt_compiler_init(dtrace_hdl_t *dtp);
void dt_compiler_fini(dtrace_hdl_t *dtp);
/*
 * dt_dof_create - DOF of a program with the handle's run-time options, malloc'ed; NULL with
 * dtrace_errno.
 */
void *dt_dof_create(dtrace_hdl_t *dtp, const dtrace_prog_t *prog, size_t *size);
/* dt_desc_stability - how stable the names in a probe description are. */
dtrace_attribute_t dt_desc_stability(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc);
/* dt_dis - print a DIFO as -S does. */
void dt_dis(const dt_difo_t *difo, FILE *fp);
/*
 * dt_type_name - C text of a type into buf; buf. dt_type_sign - is it a signed integer?
 * dt_type_size - bytes.
 */
const char *dt_type_name(const struct dt_type *type, char *buf, size_t len);
bool dt_type_signed(const struct dt_type *type);
size_t dt_type_size(const struct dt_type *type);

/* ---- consume/ and the handle offer ---- */

/*
 * dt_set_errno - set dtrace_errno; returns -1. dt_set_errmsg - set EDT_COMPILER and the text that
 * dtrace_errmsg gives.
 */
int dt_set_errno(dtrace_hdl_t *dtp, int err);
int dt_set_errmsg(dtrace_hdl_t *dtp, const char *text);
/* dt_debug - with -xdebug or DTRACE_DEBUG in the environment: a line to stderr. */
void dt_debug(const dtrace_hdl_t *dtp, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * dt_option - value of a run-time option, or DTRACEOPT_UNSET. dt_copt - of a compile-time option,
 * named DT_COPT_*.
 */
dtrace_optval_t dt_option(dtrace_hdl_t *dtp, int option);
/* dt_stmt_find - statement of that number, or NULL. */
dt_stmt_t *dt_stmt_find(dtrace_hdl_t *dtp, uint64_t id);
/* dt_stmt_register - give a statement its id. */
uint32_t dt_stmt_register(dtrace_hdl_t *dtp, dt_stmt_t *stmt);
/*
 * dt_probe_info - is there a probe that matches? and if pdp names exactly one kind, its argument
 * types (for args[]); -1 with errno if not.
 */
int dt_probe_args(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp, dtrace_argdesc_t *args,
		  int max);

/* dt_programs_fini - free all programs of the handle. */
void dt_programs_fini(dtrace_hdl_t *dtp);
/*
 * dt_error_program - enable the clause that reports faults (its id: session's errclause); 0 or -1.
 */
int dt_error_program(dtrace_hdl_t *dtp);

#endif
