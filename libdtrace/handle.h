/* SPDX-License-Identifier: MIT */
/*
 * handle.h - what a handle consists of. The folder that owns a part makes it when it is first
 * needed. dtrace_close() frees all parts.
 */
#ifndef DT_HANDLE_H
#define DT_HANDLE_H

#include "libdtrace.h"
#include "now.h"
#include "program.h"
#include "world.h"

/* Compile-time options. A boolean is 0 or 1; others say what they hold. */
enum dt_copt {
	DT_COPT_ARGREF,	 /* script arguments not referred to are fine */
	DT_COPT_CPP,	 /* run the preprocessor */
	DT_COPT_CPPHDRS, /* it prints the names of headers */
	DT_COPT_DEBUG,
	DT_COPT_DEFAULTARGS,
	DT_COPT_DROPTAGS,
	DT_COPT_EMPTY,
	DT_COPT_ERRTAGS, /* messages begin with their tag */
	DT_COPT_KNODEFS, /* undefined kernel symbols are fine */
	DT_COPT_NOLIBS,
	DT_COPT_PSPEC,
	DT_COPT_STDC, /* a c s t: letter of -X; 0: none was given */
	DT_COPT_TREE, /* mask of passes whose tree to print */
	DT_COPT_UNODEFS,
	DT_COPT_VERBOSE, /* print the DIF */
	DT_COPT_ZDEFS,
	DT_COPT_PGMAX, /* descriptions that one pattern may stand for */
	DT_COPT_LAZYLOAD,
	DT_COPT_EVALTIME, /* enum dt_evaltime */
	DT_COPT_IREGS,	  /* integer registers to use */
	DT_COPT_TREGS,	  /* entries of the tuple stack to use */
	DT_COPT_AMIN,	  /* 1: amin holds the least stability that a program may have */
	DT_COPT_STRIP,
	DT_COPT_LINKMODE,
	DT_COPT_LINKTYPE, /* 1: -G writes DOF */
	DT_COPT_LATE,
	DT_COPT_VERSION,    /* DT_LANGUAGE() of the language to compile */
	DT_COPT_OFORMAT,    /* enum dt_oformat */
	DT_COPT_ENCODING,   /* enum dt_encoding */
	DT_COPT_EXITSTATUS, /* the command ends with the status of $target */
	DT_COPT_AGGPERCPU,  /* keep the values of each CPU */
	DT_COPT_MAX
};

/* Where a process that the handle creates waits for dtrace_proc_continue. */
enum dt_evaltime { DT_EVAL_MAIN, DT_EVAL_EXEC, DT_EVAL_PREINIT, DT_EVAL_POSTINIT };

/* The form of output. */
enum dt_oformat { DT_OFORMAT_TEXT, DT_OFORMAT_JSON, DT_OFORMAT_XML };
/* Characters of aggpack; by the terminal unless set. */
enum dt_encoding { DT_ENCODING_AUTO, DT_ENCODING_ASCII, DT_ENCODING_UTF8 };

/* A list of words that options add to. */
struct dt_words {
	char **words;
	int n;
};

struct dt_handlers {
	dtrace_handle_err_f *err;
	void *errarg;
	dtrace_handle_drop_f *drop;
	void *droparg;
	dtrace_handle_setopt_f *setopt;
	void *setoptarg;
	dtrace_handle_buffered_f *buffered;
	void *bufarg;
	dtrace_handle_proc_f *proc;
	void *procarg;
};

struct dtrace_hdl {
	struct dt_world *world;			/* what requests go to; NULL: no device is open */
	const struct dt_world_type *world_type; /* of world; without a world, the type to open */
	int error;				/* dtrace_errno */
	char *errmsg;				/* detailed message of error, or NULL */
	dtrace_conf_t conf;			/* of the world; zero without device */
	dtrace_providerdesc_t provider;		/* described last, since probes were fetched */
	bool active, stopped;			/* GO and STOP have been done */
	int endcpu, begincpu;

	/* options */
	dtrace_optval_t options[DTRACEOPT_MAX];
	uint64_t copts[DT_COPT_MAX];
	struct dt_words cppargs; /* -D -U -I -H: arguments of the preprocessor, in order */
	struct dt_words libdirs; /* directories with D libraries, first the user's */
	char *cpppath;		 /* the preprocessor; default cpp */
	char *syslibdir;	 /* the installed D libraries */
	char *btfpath;		 /* BTF of the kernel: a directory or file; or NULL */
	char *kallsyms;		 /* symbols of the kernel; or NULL */
	dtrace_attribute_t amin;

	/* programs */
	struct dt_compiler *comp; /* compile/ */
	dtrace_prog_t *progs;	  /* all, in order */
	dt_stmt_t **stmts;	  /* by id - 1 */
	uint32_t nstmts;
	dt_aggvar_t *aggvars; /* in order of id; compile/ adds */
	uint32_t nclauses;    /* ids given to clauses */

	/* consumer */
	struct dt_eprobes *eprobes;   /* consume/eprobe.c */
	struct dt_aggs *aggs;	      /* consume/aggregate.c */
	struct dt_session *session;   /* consume/session.c */
	struct dt_names *names;	      /* consume/names.c */
	struct dt_kernel_syms *ksyms; /* symbols/kernel_symbol.c */
	struct dt_handlers handlers;

	/* processes */
	struct ps_prochandle *procs;	   /* that the session is about: proc.c */
	uint64_t nextmaps;		   /* ns: when to look at their mappings again */
	pid_t target;			   /* $target, 0 if there is none */
	struct dt_stop_point *stop_points; /* process/stop.c */
	struct dt_awaited *awaited;	   /* process/wait.c */
	struct dt_user *user;		   /* symbols/user_symbol.c */
	struct dt_unwind *unwind;	   /* symbols/unwind.c; NULL: no tables are needed */
	struct dt_pid *pid;		   /* pid/pid.c */
};

/* Return the value of a compile-time option. */
uint64_t dt_copt(const dtrace_hdl_t *dtp, enum dt_copt option);
/* Replace control characters, ASCII ones and those of UTF-8, by question marks. Return text. */
char *dt_clean(char *text);
/* Set dtrace_errno() and a message for dtrace_errmsg(). Return -1. */
int dt_set_error(dtrace_hdl_t *dtp, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Append a copy of word. Return 0, or -1 with ENOMEM. */
int dt_words_add(dtrace_hdl_t *dtp, struct dt_words *words, const char *word);

#endif
