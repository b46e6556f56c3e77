// SPDX-License-Identifier: MIT
/* usdt.c - dtrace -h and dtrace -G: their arguments, and the programs of ustack helpers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* ---- the preprocessor of provider files ---- */

/* Return the value of "name=value", or NULL if option has another name. */
static const char *value_of(const char *option, const char *name)
{
	size_t len = strlen(name);

	return strncmp(option, name, len) == 0 && option[len] == '=' ? option + len + 1 : NULL;
}

/* Append a preprocessor option of -x to the words of the preprocessor's command line. */
static void cppword_take(struct cmd *cmd, const char *option)
{
	static const struct {
		const char *name, *before;
	} words[] = {{"define", "-D"}, {"undef", "-U"}, {"incdir", "-I"}, {"cppargs", ""}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *value = value_of(option, words[i].name);
		char *word;

		if (!value)
			continue;
		if (asprintf(&word, "%s%s", words[i].before, value) < 0)
			fatal("out of memory");
		words_add(&cmd->cppargs, &cmd->ncppargs, word);
	}
}

void usdt_set_preprocessor(struct cmd *cmd, struct dtrace_usdt_args *args)
{
	args->cpp = cmd->cflags & DTRACE_C_CPP;
	for (int i = 0; i < cmd->noptions; i++) {
		const char *path = value_of(cmd->options[i], "cpppath");

		if (path)
			args->cpppath = path;
		args->cpp |= strcmp(cmd->options[i], "cpp") == 0;
		cppword_take(cmd, cmd->options[i]);
	}
	args->cppargs = cmd->cppargs;
	args->ncppargs = cmd->ncppargs;
}

/* ---- headers and objects ---- */

/* Compile the clauses of -G's script, which are ustack helpers, to DOF. */
static int helpers_compile(void *arg, void **dof, size_t *size)
{
	const struct cmd *cmd = arg;
	char *argv[] = {cmd->programs[0].text, NULL};
	dtrace_hdl_t *dtp;
	dtrace_prog_t *prog;
	FILE *fp = fopen(argv[0], "r");
	int error;

	if (!fp)
		fatal("failed to open %s: %s", argv[0], strerror(errno));
	dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	if (!dtp)
		fatal("failed to initialize: %s", dtrace_errmsg(NULL, error));
	message_set_handle(dtp);
	settings_apply(dtp, cmd);
	prog = dtrace_program_fcompile(dtp, fp, cmd->cflags | DTRACE_C_ZDEFS, 1, argv);
	if (!prog)
		dfatal(dtp, "failed to compile script %s", argv[0]);
	*dof = dtrace_dof_create(dtp, prog, size);
	if (!*dof)
		dfatal(dtp, "failed to make DOF of %s", argv[0]);
	fclose(fp);
	message_set_handle(NULL);
	dtrace_close(dtp);
	return 0;
}

int usdt_make(struct cmd *cmd)
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
	usdt_set_preprocessor(cmd, &args);
	if (cmd->mode == MODE_LINK)
		return dtrace_usdt_link(&args);
	if (!args.input && args.nobjects == 1) {
		args.input = args.objects[0];
		args.nobjects = 0;
	}
	return dtrace_usdt_header(&args);
}
