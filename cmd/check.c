// SPDX-License-Identifier: MIT
/* check.c - dtrace -G --check and --fire: tests of the probes that a program has. */
#include <string.h>

#include "cmd.h"

/* ---- --check: a line for each declared probe ---- */

static int print_probe(const dtrace_usdt_probe_t *probe, void *arg)
{
	(void)arg;
	printf("%s:%s %u site%s\n", probe->provider, probe->name, probe->nsites,
	       probe->nsites == 1 ? "" : "s");
	return ferror(stdout);
}

int check_sites(const struct cmd *cmd)
{
	struct dtrace_usdt_args args = {.objects = cmd->operands + 1,
					.nobjects = cmd->noperands - 1,
					.cpp = cmd->cflags & DTRACE_C_CPP,
					.cppargs = cmd->cppargs,
					.ncppargs = cmd->ncppargs,
					.diag = stderr};

	if (args.nobjects == 0)
		fatal("--check needs objects, archives, libraries or programs");
	for (int i = 0; i < cmd->nprograms; i++) {
		if (cmd->programs[i].option != 's' || args.input != NULL)
			fatal("--check takes one provider file: -s FILE");
		args.input = cmd->programs[i].text;
	}
	if (dtrace_usdt_check(&args, print_probe, NULL) == 0 || ferror(stdout))
		return CMD_OK; /* output_close() sees errors of output */
	return CMD_ERROR;
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

	if (fired->fault != NULL) {
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

int check_fire(const struct cmd *cmd)
{
	struct shots shots = {0};
	dtrace_hdl_t *dtp;
	int error;

	if (cmd->noperands < 2)
		fatal("--fire needs a program, and its arguments if it has any");
	dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	if (dtp == NULL)
		fatal("cannot begin: %s", dtrace_errmsg(NULL, error));
	if (dtrace_proc_fire(dtp, cmd->operands[1], cmd->operands + 1, print_fired, &shots) == -1)
		dfatal(dtp, "cannot fire the probes of %s", cmd->operands[1]);
	dtrace_close(dtp);
	if (shots.fired + shots.failed == 0)
		notice("%s has no probe site", cmd->operands[1]);
	return shots.fired > 0 && shots.failed == 0 ? CMD_OK : CMD_ERROR;
}
