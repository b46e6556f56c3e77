/* SPDX-License-Identifier: MIT */
/*
 * usdt.c - dtrace -h and dtrace -G without the rest of dtrace, so that the tests can run them under
 *sanitizers.
 *
 *	usdt -h|-G [-v] [-C] [-32|-64] [-m MACHINE] [-D...] [-I...] [-L LIBDIR] [-s FILE] [-o FILE]
 *	     [OBJECT...]
 */
#include <stdlib.h>
#include <string.h>
#include "libdtrace.h"

static int usage(void)
{
	fprintf(stderr, "usage: usdt -h|-G [-v] [-C] [-32|-64] [-m MACHINE] [-D...] [-I...] "
			"[-L LIBDIR] [-s FILE] [-o FILE] [OBJECT...]\n");
	return 2;
}

static void take_option(struct dtrace_usdt_args *args, const char *option, char ***argv)
{
	if (!strcmp(option, "-v"))
		args->verbose = true;
	else if (!strcmp(option, "-C"))
		args->cpp = true;
	else if (!strcmp(option, "-32") || !strcmp(option, "-64"))
		args->model = atoi(option + 1);
	else if (!strcmp(option, "-L"))
		args->libdir = *++*argv;
	else if (!strcmp(option, "-m"))
		args->machine = *++*argv;
	else if (!strcmp(option, "-s"))
		args->input = *++*argv;
	else if (!strcmp(option, "-o"))
		args->output = *++*argv;
	else if (option[1] == 'D' || option[1] == 'I')
		((char **)args->cppargs)[args->ncppargs++] = **argv;
	else
		args->objects[args->nobjects++] = **argv;
}

int main(int argc, char **argv)
{
	struct dtrace_usdt_args args = { .diag = stderr };
	bool header;
	int result;

	if (argc < 2 || (strcmp(argv[1], "-h") && strcmp(argv[1], "-G")))
		return usage();
	header = argv[1][1] == 'h';
	args.objects = calloc((size_t)argc, sizeof(char *));
	args.cppargs = calloc((size_t)argc, sizeof(char *));
	if (!args.objects || !args.cppargs)
		return 2;
	for (argv += 2; *argv; argv++)
		take_option(&args, *argv, &argv);
	result = header ? dtrace_usdt_header(&args) : dtrace_usdt_link(&args);
	free(args.objects);
	free((void *)args.cppargs);
	return result;
}
