// SPDX-License-Identifier: MIT
/* check.c - dtrace -G --check and --fire: test the probes of a program. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

/* ---- --check: a line for each declared probe ---- */

static int print_probe(const dtrace_usdt_probe_t *probe, void *arg)
{
	(void)arg;
	printf("%s:%s %u site%s\n", probe->provider, probe->name, probe->nsites,
	       probe->nsites == 1 ? "" : "s");
	return ferror(stdout);
}

/* Set the provider files in args. */
static void check_inputs(const struct cmd *cmd, struct dtrace_usdt_args *args)
{
	char **inputs = NULL;

	for (int i = 0; i < cmd->nprograms; i++) {
		if (cmd->programs[i].option != 's')
			fatal("--check takes provider files: -s FILE");
		words_add(&inputs, &args->ninputs, cmd->programs[i].text);
	}
	args->inputs = inputs;
}

int check_sites(struct cmd *cmd)
{
	struct dtrace_usdt_args args = {
		.objects = cmd->operands + 1, .nobjects = cmd->noperands - 1, .diag = stderr};
	int status;

	if (args.nobjects == 0)
		fatal("--check needs objects, archives, libraries or programs");
	check_inputs(cmd, &args);
	usdt_set_preprocessor(cmd, &args);
	status = dtrace_usdt_check(&args, print_probe, NULL);
	free((void *)args.inputs);
	return status == 0 || ferror(stdout) ? CMD_OK : CMD_ERROR; /* output_close() sees errors */
}

/* ---- --fire: a line for each site ---- */

struct shots {
	int fired, failed;
};

static double floating(uint64_t bits, unsigned int size)
{
	double wide;
	float narrow;

	if (size == sizeof(wide)) {
		memcpy(&wide, &bits, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, &bits, sizeof(narrow));
	return narrow;
}

static void print_values(const dtrace_proc_fired_t *fired)
{
	for (unsigned int i = 0; i < fired->nargs; i++) {
		fputs(i > 0 ? ", " : "", stdout);
		if (fired->args[i].is_float)
			printf("%g", floating(fired->args[i].value, fired->args[i].size));
		else if (fired->args[i].is_signed)
			printf("%lld", (long long)fired->args[i].value);
		else
			printf("%llu", (unsigned long long)fired->args[i].value);
	}
}

static int print_fired(const dtrace_proc_fired_t *fired, void *arg)
{
	struct shots *shots = arg;

	if (fired->fault) {
		shots->failed++;
		notice("%s:%s:%s:%s at 0x%llx: %s", fired->provider, fired->module, fired->func,
		       fired->name, (unsigned long long)fired->address, fired->fault);
		return 0;
	}
	shots->fired++;
	printf("%s:%s:%s:%s (", fired->provider, fired->module, fired->func, fired->name);
	print_values(fired);
	puts(")");
	return ferror(stdout);
}

/*
 * Return the path of the program, allocated with malloc: a file of that name in the current folder,
 * as with --list, takes precedence over PATH.
 */
static char *program_path(const char *name)
{
	char *path;

	if (asprintf(&path, "%s%s", !strchr(name, '/') && access(name, F_OK) == 0 ? "./" : "",
		     name) == -1)
		fatal("out of memory");
	return path;
}

int check_fire(const struct cmd *cmd)
{
	struct shots shots = {0};
	dtrace_hdl_t *dtp;
	char *path;
	int error;

	if (cmd->noperands < 2)
		fatal("--fire needs a program, and its arguments if it has any");
	path = program_path(cmd->operands[1]);
	dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	if (!dtp)
		fatal("cannot begin: %s", dtrace_errmsg(NULL, error));
	if (dtrace_proc_fire(dtp, path, cmd->operands + 1, print_fired, &shots) == -1)
		dfatal(dtp, "cannot fire the probes of %s%s", path,
		       !strchr(path, '/') ? ", which does not exist here" : "");
	dtrace_close(dtp);
	free(path);
	if (shots.fired + shots.failed == 0)
		notice("%s has no probe site", cmd->operands[1]);
	return shots.fired > 0 && shots.failed == 0 ? CMD_OK : CMD_ERROR;
}
