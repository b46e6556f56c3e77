/* SPDX-License-Identifier: MIT */
/* cmd.h - interface between the files of the dtrace command. */
#ifndef CMD_H
#define CMD_H

#include <libdtrace.h>

/* Exit statuses, as every DTrace has them. */
enum { CMD_OK = 0, CMD_ERROR = 1, CMD_USAGE = 2 };

enum cmd_mode { MODE_EXEC, MODE_LIST, MODE_COMPILE, MODE_HEADER, MODE_LINK, MODE_VERSION };

/* Modes in which -G makes no object. */
enum cmd_look { LOOK_NONE, LOOK_LIST, LOOK_CHECK, LOOK_FIRE };

/* A program or, with -l, a description: one -P, -m, -f, -n, -i or -s. */
struct cmd_program {
	char option; /* the letter */
	char *text;  /* with predicate and action; or the script's file name */
	dtrace_probespec_t spec;
	dtrace_prog_t *prog;
};

/* The parsed command line. Arrays grow as needed and live as long as the command. */
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
	bool user;	    /* -x world=user, or the same in the environment */
	const char *lacks;  /* the reason for the user world, if the user has not chosen it */
};

/* ---- message.c ---- */

/* Prepare for messages: look what stderr is. */
void message_init(void);
/* Print "dtrace: " and a message on stderr. */
void notice(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Return whether a message could not be written because stderr has lost its reader. */
bool notice_is_lost(void);
/* Print a message and end the command with CMD_ERROR. */
void fatal(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Print a message and the last error of the library, and end the command with CMD_ERROR. */
void dfatal(dtrace_hdl_t *dtp, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/*
 * Set the handle that fatal() and dfatal() close, or NULL for none. The caller remains its owner.
 */
void message_set_handle(dtrace_hdl_t *dtp);

/*
 * Report the fault of a clause, or count it if a fault of the same kind was reported since the last
 * call of fault_repeats().
 */
void fault_report(const dtrace_errdata_t *data);
/* Print how often each reported fault has occurred again, and forget them. */
void fault_repeats(void);

/* ---- options.c ---- */

/* Parse the command line into cmd. Errors end the command with CMD_USAGE. */
void options_parse(struct cmd *cmd, int argc, char *argv[]);
/* Append a word to an array of n words that ends with NULL; the word is borrowed. */
void words_add(char ***words, int *n, char *word);

/* ---- settings.c ---- */

/* Return the world that -x world or the environment chooses, or NULL. */
const char *settings_world(const struct cmd *cmd);
/* Set the library's options from the environment and the command line. Errors are fatal. */
void settings_apply(dtrace_hdl_t *dtp, const struct cmd *cmd);
/* Remember the options that the module may change when tracing begins. */
void settings_remember(dtrace_hdl_t *dtp);
/* Print which of the remembered options the module has changed, and to what. */
void settings_report(dtrace_hdl_t *dtp);

/* ---- usdt.c ---- */

/*
 * Set the members of args that concern the preprocessing of provider files, from -C, -D and similar
 * options, and from -x. args borrows the strings of cmd.
 */
void usdt_set_preprocessor(struct cmd *cmd, struct dtrace_usdt_args *args);
/*
 * Carry out dtrace -h or dtrace -G, which need no device, and a handle only for ustack helpers.
 * Options of -x other than those named there and the preprocessor's have no effect. Return the exit
 * status.
 */
int usdt_make(struct cmd *cmd);

/* ---- check.c ---- */

/* dtrace -G --check: compare the sites of files with declarations. Return the exit status. */
int check_sites(struct cmd *cmd);
/* dtrace -G --fire: fire each site of a program once. Return the exit status. */
int check_fire(const struct cmd *cmd);

/* ---- list.c ---- */

/* dtrace -l: list the probes that the programs' descriptions match. Return the exit status. */
int list_probes(dtrace_hdl_t *dtp, const struct cmd *cmd);
/* dtrace -v: print the stability of a program to fp. */
void list_stability(dtrace_hdl_t *dtp, FILE *fp, const struct cmd_program *p);

/* ---- output.c ---- */

/* Open the file at path for appending; NULL stands for standard output. Errors are fatal. */
FILE *output_open(const char *path);
/* Return whether an errno of writing output means that its reader has gone. */
bool output_is_lost(int error);
/* Redirect a stream to /dev/null. */
void output_forget(FILE *fp);
/* End the command with the message that output could not be written, and why. */
void output_fail(int error) __attribute__((noreturn));
/*
 * Close fp and return status. If output is incomplete, end the command with a message; but a reader
 * that has gone is no error.
 */
int output_close(FILE *fp, int status);

/* ---- progress.c ---- */

/*
 * Begin an operation that may take long. If stderr is a terminal and the operation takes more than
 * two seconds, a line there shows what and for how long, until progress_end(). The string is
 * borrowed until then.
 */
void progress_begin(const char *what);
/* End the operation, if any, and remove its line. */
void progress_end(void);

/* ---- sites.c ---- */

/* dtrace -G --list: print a line for each site of files. Return the exit status. */
int sites_list(const struct cmd *cmd);
/*
 * dtrace -l without descriptions: list the probes of the operands' files, or of the files that the
 * processes of -p have mapped. Return the exit status.
 */
int sites_probes(const struct cmd *cmd);

/* ---- trace.c ---- */

/* Enable the programs, and print output until tracing ends. Return the exit status. */
int trace_run(dtrace_hdl_t *dtp, struct cmd *cmd);

#endif
