/* SPDX-License-Identifier: MIT */
/*
 * alloc.c - dtrace -h and -G with each of their allocations failing in turn: each run must say so,
 *fail, and write nothing.
 *
 *	alloc LIBDIR PROVIDER-FILE OBJECT...
 *
 * Linked with --wrap for the allocating functions, so that those of libc itself and of libelf do
 *not fail.
 */
#include <err.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdtrace.h"

static long countdown; /* allocations until one fails; negative: none does */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t count, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);
char *__wrap_strdup(const char *s);

static bool fails(void)
{
	return countdown >= 0 && countdown-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(p, count, size);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

/* Let allocation 0, 1, 2... fail until nothing does; the number of runs that failed. */
static long rehearse(int (*run)(const struct dtrace_usdt_args *),
		     const struct dtrace_usdt_args *args)
{
	struct stat before, after;
	long n;

	if (stat(args->objects[0], &before))
		err(1, "%s", args->objects[0]);
	for (n = 0;; n++) {
		countdown = n;
		if (!run(args))
			break;
		if (countdown >= 0)
			errx(1, "run %ld failed of itself", n);
		countdown = -1;
		if (!access(args->output, F_OK) || stat(args->objects[0], &after) ||
		    after.st_ino != before.st_ino)
			errx(1, "run %ld failed and wrote something", n);
	}
	if (countdown < 0)
		errx(1, "run %ld succeeded although an allocation failed", n);
	countdown = -1;
	return n;
}

int main(int argc, char **argv)
{
	struct dtrace_usdt_args args = {
		.libdir = argv[1], .input = argv[2], .objects = argv + 3, .nobjects = argc - 3};

	countdown = -1;
	args.diag = fopen("/dev/null", "w");
	if (argc < 4 || !args.diag)
		errx(2, "usage: alloc LIBDIR PROVIDER-FILE OBJECT...");
	args.output = "alloc.h";
	if (rehearse(dtrace_usdt_header, &args) < 10)
		errx(1, "the header was made with hardly an allocation");
	args.output = "alloc.o";
	if (rehearse(dtrace_usdt_link, &args) < 30)
		errx(1, "the object was made with hardly an allocation");
	fclose(args.diag);
	return 0;
}
