/* SPDX-License-Identifier: MIT */
/*
 * visited.c - a program with probes, which does what its arguments say, one after another.
 *
 *	errno		print it, as the constructors have left it
 *	fds		print the open descriptors but the standard ones
 *	threads		print the number of threads
 *	handlers	print which signals have handlers, in hexadecimal digits
 *	sum		print what the site's function returns for 2 and 3
 *	load FILE	load a library
 *	unload		unload it
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>

static int first_errno;

/* After the constructor of drti, before others. */
__attribute__((constructor(102))) static void note_errno(void)
{
	first_errno = errno;
}

__attribute__((noinline)) int sum(int a, int b)
{
	DTRACE_PROBE2(visited, sum, a, b);
	return a + b;
}

/* Print the names in a directory from the number `from' on. */
static void print_numbers(const char *path, int from)
{
	DIR *d = opendir(path);
	const struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && atoi(e->d_name) >= from && atoi(e->d_name) != dirfd(d))
			n++;
	if (d)
		closedir(d);
	printf("%d\n", n);
}

static void print_handlers(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "SigCgt:", 7))
			fputs(line, stdout);
	if (f)
		fclose(f);
}

static void *load(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);

	printf("%s\n", library ? "loaded" : dlerror());
	return library;
}

int main(int argc, char **argv)
{
	void *library = NULL;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "errno"))
			printf("errno %d\n", first_errno);
		else if (!strcmp(argv[i], "fds"))
			print_numbers("/proc/self/fd", 3);
		else if (!strcmp(argv[i], "threads"))
			print_numbers("/proc/self/task", 1);
		else if (!strcmp(argv[i], "handlers"))
			print_handlers();
		else if (!strcmp(argv[i], "sum"))
			printf("sum %d\n", sum(2, 3));
		else if (!strcmp(argv[i], "load") && i + 1 < argc)
			library = load(argv[++i]);
		else if (!strcmp(argv[i], "unload") && library)
			printf("unload %d\n", dlclose(library));
	}
	return 0;
}
