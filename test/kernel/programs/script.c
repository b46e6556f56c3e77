// SPDX-License-Identifier: MIT
/*
 * script.c - a toy interpreter whose functions do nothing but call the next one, for ustack
 * helpers: carries out the verbs of its command line.
 *
 *	script load libscript.so run main,loop,leaf
 *
 *	load FILE, unload	load or unload the library with the trampoline for function calls
 *	run NAMES		call the first, which calls the next ...; the last fires script:::at
 *	deep N			as run, for N functions with the names f1, f2 ...
 *	forever			call main and leaf, again and again, without a firing
 *	fork ... end		let a child carry out the verbs between, and wait for it
 *	tell FIFO, wait FIFO	write the pid into it; read a line from it
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "script_probes.h"

/* A function of a script; the helper reads it. */
struct function {
	const char *name;
	const char *rest;   /* the functions to call in turn */
	long (*last)(void); /* called by the innermost function */
};

typedef long (*script_call_f)(struct function *f, long (*next)(struct function *f));

static void *library;
static script_call_f call;

static long fire(void)
{
	SCRIPT_AT(1);
	return 1;
}

static long spin(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
	return 1;
}

static long interpret(struct function *f);

/* A frame between one function and the next, as interpreters have it. */
static __attribute__((noinline)) long enter(struct function *f)
{
	volatile char between[100];
	long result;

	between[0] = f->name[0];
	result = call ? call(f, interpret) : interpret(f);
	return result + between[0] - between[0];
}

static __attribute__((noinline)) long interpret(struct function *f)
{
	char name[64];
	size_t n = strcspn(f->rest, ",");
	struct function next = {.name = name, .last = f->last};

	if (!n)
		return f->last() + (f->name[0] == 0);
	snprintf(name, sizeof(name), "%.*s", (int)n, f->rest);
	next.rest = f->rest[n] ? f->rest + n + 1 : "";
	return enter(&next) + (name[0] == 0);
}

static long run(const char *names, long (*last)(void))
{
	struct function outermost = {.name = "", .rest = names, .last = last};

	return interpret(&outermost);
}

static long deep(int n)
{
	char *names = calloc(n, 8);
	long result;

	for (int i = 1; i <= n; i++)
		sprintf(names + strlen(names), "f%d,", i);
	result = run(names, fire);
	free(names);
	return result;
}

static void load(const char *file)
{
	library = dlopen(file, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "script: %s\n", dlerror());
		exit(3);
	}
	call = (script_call_f)dlsym(library, "script_call");
}

static void unload(void)
{
	dlclose(library);
	call = NULL;
}

static void tell(const char *fifo)
{
	FILE *f = fopen(fifo, "w");

	fprintf(f, "%d\n", (int)getpid());
	fclose(f);
}

static void wait_for(const char *fifo)
{
	char line[64];
	FILE *f = fopen(fifo, "r");

	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
}

/* Carry out a verb, and skip its words. Return whether it is the end of a child. */
static int verb(char ***word)
{
	const char *name = *(*word)++;

	if (!strcmp(name, "load"))
		load(*(*word)++);
	else if (!strcmp(name, "unload"))
		unload();
	else if (!strcmp(name, "run"))
		run(*(*word)++, fire);
	else if (!strcmp(name, "deep"))
		deep(atoi(*(*word)++));
	else if (!strcmp(name, "tell"))
		tell(*(*word)++);
	else if (!strcmp(name, "wait"))
		wait_for(*(*word)++);
	else if (!strcmp(name, "end"))
		return 1;
	while (!strcmp(name, "forever"))
		run("main,leaf", spin);
	return 0;
}

static char **forked(char **word)
{
	pid_t child = fork();

	if (child) {
		waitpid(child, NULL, 0);
		while (*word && strcmp(*word++, "end"))
			;
	}
	return word;
}

int main(int argc, char **argv)
{
	char **word = argv + 1;

	(void)argc;
	while (*word) {
		if (!strcmp(*word, "fork"))
			word = forked(word + 1);
		else if (verb(&word))
			return 0;
	}
	return 0;
}
