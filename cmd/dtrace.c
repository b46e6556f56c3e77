// SPDX-License-Identifier: MIT
/* dtrace.c - the dtrace command: what it is asked to do, done by libdtrace. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static dtrace_hdl_t *handle; /* ended on every way out, so that held processes are */
static bool unread;	     /* stderr: nobody reads it any more */

static void message(const char *format, va_list ap)
{
	progress_end();
	fflush(stdout);
	fputs("dtrace: ", stderr);
	vfprintf(stderr, format, ap);
}

void notice(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message(format, ap);
	va_end(ap);
	if (fputc('\n', stderr) == EOF && output_is_lost(errno))
		unread = true;
}

bool notice_is_lost(void)
{
	return unread;
}

/* A structured document that has been begun is ended, and processes that are held are. */
static void __attribute__((noreturn)) fail(void)
{
	if (handle)
		dtrace_oformat_teardown(handle);
	dtrace_close(handle);
	exit(CMD_ERROR);
}

void fatal(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message(format, ap);
	va_end(ap);
	fputc('\n', stderr);
	fail();
}

void dfatal(dtrace_hdl_t *dtp, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message(format, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	fail();
}

static void option_set(dtrace_hdl_t *dtp, char *option)
{
	char *value = strchr(option, '=');

	if (value)
		*value++ = '\0';
	if (dtrace_setopt(dtp, option, value) != 0)
		dfatal(dtp, value ? "failed to set -x %s=%s" : "failed to set -x %s", option,
		       value);
}

static int option_show(const char *name, const char *text, void *arg)
{
	fprintf(arg, "%-16s %s\n", name, text);
	return 0;
}

/*
 * Is the device needed? Compiling does without when it is not there, if nothing in the program asks
 * for probes' details.
 */
static dtrace_hdl_t *handle_open(const struct cmd *cmd)
{
	int error;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, 0, &error);

	if (!dtp && (error == EDT_NODEV || error == EDT_ACCESS) &&
	    (cmd->mode == MODE_COMPILE || cmd->mode == MODE_VERSION || cmd->option_help))
		dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	if (!dtp)
		fatal("failed to initialize dtrace: %s", dtrace_errmsg(NULL, error));
	return dtp;
}

/* DTRACE_OPT_NAME=VALUE in the environment is as -x name=VALUE before all other options. */
static void environment_set(dtrace_hdl_t *dtp)
{
	static const char prefix[] = "DTRACE_OPT_";
	char name[64];

	for (char **e = environ; *e; e++) {
		const char *text = *e + sizeof(prefix) - 1, *value = strchr(*e, '=');
		size_t n = 0;

		if (strncmp(*e, prefix, sizeof(prefix) - 1) != 0 || !value)
			continue;
		for (; text < value && n < sizeof(name) - 1; text++)
			name[n++] = tolower((unsigned char)*text);
		name[n] = '\0';
		if (dtrace_setopt(dtp, name, value[1] != '\0' ? value + 1 : NULL) != 0)
			dfatal(dtp, "failed to set %s of the environment", *e);
	}
}

static void options_set(dtrace_hdl_t *dtp, const struct cmd *cmd)
{
	if (dtrace_setopt(dtp, "bufsize", "4m") != 0 || dtrace_setopt(dtp, "aggsize", "4m") != 0)
		dfatal(dtp, "failed to set the sizes of buffers");
	environment_set(dtp);
	for (int i = 0; i < cmd->noptions; i++)
		option_set(dtp, cmd->options[i]);
	for (int i = 0; i < cmd->ncppargs; i++) {
		static const struct {
			char letter;
			const char *option;
		} map[] = {{'D', "define"}, {'I', "incdir"}, {'U', "undef"}, {'H', "cpphdrs"}};

		for (size_t j = 0; j < sizeof(map) / sizeof(map[0]); j++)
			if (cmd->cppargs[i][1] == map[j].letter &&
			    dtrace_setopt(dtp, map[j].option,
					  map[j].letter != 'H' ? cmd->cppargs[i] + 2 : NULL) != 0)
				dfatal(dtp, "failed to set %s", cmd->cppargs[i]);
	}
}

/* The clauses of -G's script, which are helpers, as DOF. */
static int helpers_compile(void *arg, void **dof, size_t *size)
{
	const struct cmd *cmd = arg;
	char *argv[] = {cmd->programs[0].text, NULL};
	dtrace_prog_t *prog;
	FILE *fp = fopen(argv[0], "r");
	int error;

	if (!fp)
		fatal("failed to open %s: %s", argv[0], strerror(errno));
	handle = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	if (!handle)
		fatal("failed to initialize: %s", dtrace_errmsg(NULL, error));
	options_set(handle, cmd);
	prog = dtrace_program_fcompile(handle, fp, cmd->cflags | DTRACE_C_ZDEFS, 1, argv);
	if (!prog)
		dfatal(handle, "failed to compile script %s", argv[0]);
	*dof = dtrace_dof_create(handle, prog, size);
	if (!*dof)
		dfatal(handle, "failed to make DOF of %s", argv[0]);
	fclose(fp);
	dtrace_close(handle);
	handle = NULL;
	return 0;
}

/*
 * -h and -G, which need no device, and a handle for helpers only; other -x options than these and
 * the preprocessor's do not concern them.
 */
static int make_file(struct cmd *cmd)
{
	struct dtrace_usdt_args args = {
		.output = cmd->output,
		.objects = cmd->operands + 1,
		.nobjects = cmd->noperands - 1,
		.model = cmd->model,
		.verbose = cmd->verbose,
		.diag = stderr,
		.libdir = getenv("DTRACE_LIBDIR"),
		.helpers = helpers_compile,
		.helpers_arg = cmd,
	};

	for (int i = 0; i < cmd->noptions; i++) {
		if (strncmp(cmd->options[i], "anchor=", 7) == 0)
			args.anchor = cmd->options[i] + 7;
		if (strncmp(cmd->options[i], "machine=", 8) == 0)
			args.machine = cmd->options[i] + 8;
		args.dof |= strcmp(cmd->options[i], "linktype=dof") == 0;
	}
	for (int i = 0; i < cmd->nprograms; i++) {
		if (cmd->programs[i].option != 's' || args.input)
			fatal("-%c takes one provider file: -s FILE",
			      cmd->mode == MODE_HEADER ? 'h' : 'G');
		args.input = cmd->programs[i].text;
	}
	preprocessor_set(cmd, &args);
	if (cmd->mode == MODE_LINK)
		return dtrace_usdt_link(&args);
	if (!args.input && args.nobjects == 1) {
		args.input = args.objects[0];
		args.nobjects = 0;
	}
	return dtrace_usdt_header(&args);
}

/* -G of what exists already. */
static int look(struct cmd *cmd)
{
	switch (cmd->look) {
	case LOOK_CHECK:
		return check_sites(cmd);
	case LOOK_FIRE:
		return check_fire(cmd);
	default:
		return sites_list(cmd);
	}
}

/*
 * Writing to a closed pipe is an error like others. Not ignored: what we execute would inherit
 * that.
 */
static void on_pipe(int sig)
{
	(void)sig;
}

/*
 * Standard streams that are closed: nothing that we open shall be taken for them, and using them is
 * an error as it was.
 */
static void streams_open(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(CMD_ERROR);
}

/* What needs no session: files, lists of files, texts about the command itself. */
static bool plain_run(struct cmd *cmd, int *status)
{
	*status = CMD_OK;
	if (cmd->mode == MODE_LINK && cmd->look != LOOK_NONE)
		*status = look(cmd);
	else if (cmd->mode == MODE_HEADER || cmd->mode == MODE_LINK)
		*status = make_file(cmd);
	else if (cmd->mode == MODE_LIST && cmd->nprograms == 0 &&
		 (cmd->npids > 0 || cmd->noperands > 1))
		*status = sites_probes(cmd);
	else if (cmd->mode == MODE_VERSION)
		printf("dtrace: Sun D %s\nDTrace for Linux %s\n", dtrace_language_version(),
		       dtrace_version());
	else
		return false;
	return true;
}

int main(int argc, char *argv[])
{
	static struct cmd cmd = {.mode = MODE_EXEC};
	int status;

	streams_open();
	signal(SIGPIPE, on_pipe);
	options_parse(&cmd, argc, argv);
	if (plain_run(&cmd, &status))
		return output_close(stdout, status);
	if (cmd.option_help) {
		dtrace_option_iter(option_show, stdout);
		return output_close(stdout, CMD_OK);
	}
	if (cmd.model == 32)
		fatal("-32 is for -h and -G: D programs have the types of the 64-bit kernel");
	handle = handle_open(&cmd);
	options_set(handle, &cmd);
	if (cmd.mode == MODE_EXEC && cmd.nprograms == 0)
		fatal("no probes specified: give a program with -n or -s");
	status = trace_run(handle, &cmd);
	dtrace_close(handle);
	return status;
}
