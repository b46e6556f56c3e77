/* SPDX-License-Identifier: MIT */
/*
 * usdt.c - dtrace -h, dtrace -G and dtrace -G --list without the rest of dtrace, so that the tests
 * can run them under sanitizers.
 *
 *	usdt -h|-G [-v] [-C] [-32|-64] [-m MACHINE] [-D...] [-I...] [-L LIBDIR] [-s FILE] [-o FILE]
 *	     [OBJECT...]
 *	usdt -l OBJECT...
 */
#include <stdlib.h>
#include <string.h>
#include "libdtrace.h"

static int usage(void)
{
	fprintf(stderr, "usage: usdt -h|-G|-l [-v] [-C] [-32|-64] [-m MACHINE] [-D...] [-I...] "
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

static int print_site(const dtrace_usdt_site_t *site, void *arg)
{
	(void)arg;
	printf("%s:%s:%s:%s 0x%llx%s%s %s\n", site->provider, site->file, site->func, site->name,
	       (unsigned long long)site->address, site->isenabled ? " is-enabled" : "",
	       site->semaphore ? " semaphore" : "", site->operands);
	return 0;
}

int main(int argc, char **argv)
{
	struct dtrace_usdt_args args = {.diag = stderr};
	int result = 2;
	char mode;

	if (argc < 2 || (strcmp(argv[1], "-h") && strcmp(argv[1], "-G") && strcmp(argv[1], "-l")))
		return usage();
	mode = argv[1][1];
	args.objects = calloc((size_t)argc, sizeof(char *));
	args.cppargs = calloc((size_t)argc, sizeof(char *));
	if (!args.objects || !args.cppargs)
		return 2;
	for (argv += 2; *argv; argv++)
		take_option(&args, *argv, &argv);
	switch (mode) {
	case 'h':
		result = dtrace_usdt_header(&args);
		break;
	case 'G':
		result = dtrace_usdt_link(&args);
		break;
	case 'l':
		result = dtrace_usdt_list(&args, print_site, NULL);
		break;
	}
	free(args.objects);
	free((void *)args.cppargs);
	return result;
}
