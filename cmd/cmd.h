/* SPDX-License-Identifier: MIT */
/* cmd.h - what the files of the dtrace command share: its words, and the ways in which it ends. */
#ifndef CMD_H
#define CMD_H

#include <libdtrace.h>

/* Exit statuses, as every DTrace has them. */
enum { CMD_OK = 0, CMD_ERROR = 1, CMD_USAGE = 2 };

enum cmd_mode { MODE_EXEC, MODE_LIST, MODE_COMPILE, MODE_HEADER, MODE_LINK, MODE_VERSION };

/* What -G shall do instead of making an object. */
enum cmd_look { LOOK_NONE, LOOK_LIST, LOOK_CHECK, LOOK_FIRE };

/* A program or, with -l, a description: one -P, -m, -f, -n, -i or -s. */
struct cmd_program {
	char option; /* the letter */
	char *text;  /* with predicate and action; or the script's file name */
	dtrace_probespec_t spec;
	dtrace_prog_t *prog;
};

/*
 * The command line in order: what options.c makes of it. Arrays grow as needed and live as long as
 * the command.
 */
struct cmd {
	enum cmd_mode mode;
	struct cmd_program *programs;
	int nprograms;
	char **operands; /* $0, then script arguments; with -G objects */
	int noperands;
	char **words;	 /* of a script's first line and its arguments, or NULL */
	char **commands; /* -c */
	int ncommands;
	char **pids; /* -p */
	int npids;
	char **names; /* -W */
	int nnames;
	char **options; /* -x and other letters' meaning: NAME[=VALUE] */
	int noptions;
	char **cppargs; /* -D -U -I -H */
	int ncppargs;
	char *output;	    /* -o */
	uint32_t cflags;    /* DTRACE_C_* */
	int model;	    /* 0, 32, 64 */
	bool verbose;	    /* -v */
	enum cmd_look look; /* --list, --check, --fire */
	bool buffered;	    /* -B */
	bool aggregations;  /* -O */
	bool option_help;   /* -x help */
};

/* options_parse - read the command line; ends the command on errors. */
void options_parse(struct cmd *cmd, int argc, char *argv[]);

/*
 * fatal - say what is wrong on stderr and end with CMD_ERROR. dfatal - likewise, with the library's
 * error at the end.
 */
void fatal(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void dfatal(dtrace_hdl_t *dtp, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/* notice - a message on stderr. */
void notice(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* notice_is_lost - has it turned out that nobody reads stderr any more? */
bool notice_is_lost(void);
/* words_add - append to one of struct cmd's arrays. */
void words_add(char ***words, int *n, char *word);

/* ---- adjust.c ---- */

/* adjust_before - note what is asked for. adjust_tell - say on stderr what is other than that. */
void adjust_before(dtrace_hdl_t *dtp);
void adjust_tell(dtrace_hdl_t *dtp);

/* ---- check.c ---- */

/* check_sites - dtrace -G --check: files' sites against declarations; the exit status. */
int check_sites(struct cmd *cmd);
/* check_fire - dtrace -G --fire: each site of a program once; the exit status. */
int check_fire(const struct cmd *cmd);

/* ---- command.c ---- */

/* command_split - the words of text, which is overwritten; NULL if it has none. */
char **command_split(char *text);

/* ---- fault.c ---- */

/*
 * fault_tell - a clause has failed: say so, or count it if the same has been said since the last
 * fault_repeats(), which says how often.
 */
void fault_tell(const dtrace_errdata_t *data);
void fault_repeats(void);

/* ---- list.c ---- */

/* list_probes - dtrace -l: what the programs' descriptions match; the exit status. */
int list_probes(dtrace_hdl_t *dtp, const struct cmd *cmd);
/* list_stability - dtrace -v: stability of a program, to fp. */
void list_stability(dtrace_hdl_t *dtp, FILE *fp, const struct cmd_program *p);

/* ---- output.c ---- */

/* output_open - the file of that name, appended to; without a name standard output. */
FILE *output_open(const char *path);
/* output_is_lost - does this error of writing say that nobody reads it any more? */
bool output_is_lost(int error);
/* output_forget - what is written from now on goes nowhere. */
void output_forget(FILE *fp);
/* output_fail - end with the message that output could not be written, with an error number. */
void output_fail(int error) __attribute__((noreturn));
/*
 * output_close - the end of fp: the exit status, which is status. Ends with a message if output is
 * not complete, but quietly if nobody reads it.
 */
int output_close(FILE *fp, int status);

/* ---- progress.c ---- */

/*
 * progress_begin - from now on until progress_end() something may take long: if it does, and stderr
 * is a terminal, a line there says what. progress_end may be called when nothing has begun.
 */
void progress_begin(const char *what);
void progress_end(void);

/* ---- sites.c ---- */

/* sites_list - dtrace -G --list: a line for each site of files; the exit status. */
int sites_list(const struct cmd *cmd);
/*
 * sites_probes - dtrace -l of the files that are operands, or of what the processes of -p have
 * mapped; the exit status.
 */
int sites_probes(const struct cmd *cmd);

/* ---- preprocessor.c ---- */

/*
 * preprocessor_set - have args say how provider files are preprocessed: by -C, -D and their like, and
 * by -x options.
 */
void preprocessor_set(struct cmd *cmd, struct dtrace_usdt_args *args);

/* ---- switches.c ---- */

/*
 * switch_take - take word i of the command line, and its value, if it is no option of dtrace but one
 * that builds pass to -h and -G. The index of the last word taken; -1: it is something else.
 */
int switch_take(struct cmd *cmd, char *argv[], int i);

/* ---- trace.c ---- */

/* trace_run - dtrace's main purpose: enable the programs, print until the end; the exit status. */
int trace_run(dtrace_hdl_t *dtp, struct cmd *cmd);

#endif
