/* SPDX-License-Identifier: MIT */
/*
 * runtime.c - a victim that makes its probes while it runs. It carries out its arguments in
 * order:
 *
 *	tell FIFO, wait FIFO	write the pid into it; read a line from it
 *	provider NAME		make a provider with module "script"; the verbs below are about it
 *	probe FUNC NAME N	add a probe with N arguments: int, char *, then int64_t
 *	many N			add N probes p0, p1, ... without arguments
 *	enable, disable, destroy
 *	fire NAME N		N times, with 0 - N, the probe's name, -2, -3, ...
 *	each N			fire p0, p1, ... once each
 *	enabled NAME		print whether the probe is enabled
 *	remove NAME, free NAME
 *	threads NAME N		let four threads fire the probe N times each
 *	churn NAME N		as threads, while another thread adds, enables and frees N probes
 *	shed NAME N		as threads, 20000 times, while another removes p0, p1, ... N of them
 *	until NAME FILE		fire the probe each millisecond until there is a file
 *	cycle NAME FILE		enable, fire the probe once, and disable, until there is a file
 *	dlopen FILE, dlclose	load and unload a library of runtime_lib.c; plug N: fire its probe
 *	fixed N			fire runtime:::fixed, a static probe, if compiled with RUNTIME_FIXED
 *	fork			let a child do the rest; its parent waits for it and ends
 *	exec			do the rest in a new run of the program
 */
#include <dlfcn.h>
#include <dtrace-probes.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAXPROBES 5000
#define THREADS	  4

static struct named {
	char name[64];
	dtp_probe_t *probe;
} named[MAXPROBES];
static int nnamed;
static dtp_provider_t *provider;

static void check(const char *what, int failed)
{
	if (failed)
		printf("%s: %s\n", what, strerror(errno));
}

static struct named *find(const char *name)
{
	for (int i = 0; i < nnamed; i++)
		if (named[i].probe && !strcmp(named[i].name, name))
			return &named[i];
	printf("there is no %s\n", name);
	exit(1);
}

static void add(const char *function, const char *name, unsigned int nargs)
{
	const char *types[DTP_MAXARGS];
	struct named *to = &named[nnamed++];

	for (int i = 0; i < DTP_MAXARGS; i++)
		types[i] = i == 0 ? "int" : i == 1 ? "char *" : "int64_t";
	snprintf(to->name, sizeof to->name, "%s", name);
	to->probe = dtp_probe_add(provider, function, name, nargs, types);
	check(name, !to->probe);
}

static void add_many(int n)
{
	char name[16];

	while (n-- > 0) {
		snprintf(name, sizeof name, "p%d", n);
		add("many", name, 0);
	}
}

static void fire(const struct named *it, int n)
{
	uint64_t args[DTP_MAXARGS];

	for (int i = 0; i < DTP_MAXARGS; i++)
		args[i] = i == 1 ? (uintptr_t)it->name : (uint64_t)(int64_t)-i;
	while (n-- > 0) {
		args[0] = (uint64_t)(int64_t)-n;
		dtp_fire(it->probe, args);
	}
}

static void fire_each(int n)
{
	char name[16];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof name, "p%d", i);
		fire(find(name), 1);
	}
}

/* The work of a thread. */
struct work {
	struct named *it;
	int n;
};

static void *thread_fire(void *arg)
{
	const struct work *w = arg;

	fire(w->it, w->n);
	return NULL;
}

static void *thread_churn(void *arg)
{
	const struct work *w = arg;
	char name[16];

	for (int i = 0; i < w->n; i++) {
		dtp_probe_t *probe;

		snprintf(name, sizeof name, "c%d", i);
		probe = dtp_probe_add(provider, "churn", name, 0, NULL);
		check("churn, add", !probe);
		check("churn, enable", dtp_provider_enable(provider));
		fire(&(struct named){.probe = probe}, 1);
		dtp_probe_free(probe);
	}
	return NULL;
}

static void *thread_shed(void *arg)
{
	const struct work *w = arg;
	char name[64];

	for (int i = 0; i < w->n; i++) {
		snprintf(name, sizeof name, "p%d", i);
		check("shed, remove", dtp_probe_remove(find(name)->probe));
	}
	return NULL;
}

static void threads(struct work *w, void *(*other)(void *))
{
	pthread_t thread[THREADS + 1];
	struct work firing = {w->it, other == thread_shed ? 20000 : other ? 1000 : w->n};
	int n = 0;

	while (n < THREADS)
		pthread_create(&thread[n++], NULL, thread_fire, &firing);
	if (other)
		pthread_create(&thread[n++], NULL, other, w);
	while (n--)
		pthread_join(thread[n], NULL);
}

static void until(const struct named *it, const char *file)
{
	for (; access(file, F_OK); usleep(1000))
		fire(it, 1);
}

static void cycle(const struct named *it, const char *file)
{
	while (access(file, F_OK)) {
		check("cycle, enable", dtp_provider_enable(provider));
		fire(it, 1);
		check("cycle, disable", dtp_provider_disable(provider));
	}
}

#ifndef RUNTIME_STATIC
static void *library;

static void load(const char *file)
{
	library = dlopen(file, RTLD_NOW);
	if (!library)
		printf("%s\n", dlerror());
}

static void plug(int n)
{
	void (*function)(int) = (void (*)(int))dlsym(library, "runtime_lib_fire");

	function(n);
}

#endif

static void fixed(int n)
{
#ifdef RUNTIME_FIXED
	while (n-- > 0)
		DTRACE_PROBE1(runtime, fixed, n);
#endif
	(void)n;
}

static void tell(const char *fifo)
{
	FILE *f = fopen(fifo, "w");

	fprintf(f, "%d\n", getpid());
	fclose(f);
}

static void await(const char *fifo)
{
	char line[16];
	FILE *f = fopen(fifo, "r");

	if (!fgets(line, sizeof line, f))
		exit(1);
	fclose(f);
}

static void fork_rest(void)
{
	pid_t child = fork();

	if (!child)
		return;
	waitpid(child, NULL, 0);
	exit(0);
}

/* Carry out the verb at arg. Return the next one. */
static char **verb(char **arg)
{
	const char *is = *arg++;

	if (!strcmp(is, "tell"))
		tell(*arg++);
	else if (!strcmp(is, "wait"))
		await(*arg++);
	else if (!strcmp(is, "provider"))
		check(is, !(provider = dtp_provider_create(*arg++, "script")));
	else if (!strcmp(is, "probe"))
		add(arg[0], arg[1], (unsigned int)atoi(arg[2])), arg += 3;
	else if (!strcmp(is, "many"))
		add_many(atoi(*arg++));
	else if (!strcmp(is, "enable"))
		check(is, dtp_provider_enable(provider));
	else if (!strcmp(is, "disable"))
		check(is, dtp_provider_disable(provider));
	else if (!strcmp(is, "destroy"))
		dtp_provider_destroy(provider);
	else if (!strcmp(is, "fire"))
		fire(find(arg[0]), atoi(arg[1])), arg += 2;
	else if (!strcmp(is, "each"))
		fire_each(atoi(*arg++));
	else if (!strcmp(is, "enabled"))
		printf("%s %s\n", *arg, dtp_enabled(find(*arg)->probe) ? "enabled" : "not enabled"),
			arg++;
	else if (!strcmp(is, "remove"))
		check(is, dtp_probe_remove(find(*arg++)->probe));
	else if (!strcmp(is, "free"))
		dtp_probe_free(find(*arg)->probe), find(*arg++)->probe = NULL;
	else if (!strcmp(is, "threads"))
		threads(&(struct work){find(arg[0]), atoi(arg[1])}, NULL), arg += 2;
	else if (!strcmp(is, "churn"))
		threads(&(struct work){find(arg[0]), atoi(arg[1])}, thread_churn), arg += 2;
	else if (!strcmp(is, "shed"))
		threads(&(struct work){find(arg[0]), atoi(arg[1])}, thread_shed), arg += 2;
	else if (!strcmp(is, "until"))
		until(find(arg[0]), arg[1]), arg += 2;
	else if (!strcmp(is, "cycle"))
		cycle(find(arg[0]), arg[1]), arg += 2;
#ifndef RUNTIME_STATIC
	else if (!strcmp(is, "dlopen"))
		load(*arg++);
	else if (!strcmp(is, "plug"))
		plug(atoi(*arg++));
	else if (!strcmp(is, "dlclose"))
		dlclose(library);
#endif
	else if (!strcmp(is, "fixed"))
		fixed(atoi(*arg++));
	else if (!strcmp(is, "fork"))
		fork_rest();
	else if (!strcmp(is, "exec"))
		execv("/proc/self/exe", arg - 1);
	else
		printf("what is %s?\n", is);
	return arg;
}

int main(int argc, char **argv)
{
	(void)argc;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (char **arg = argv + 1; *arg;)
		arg = verb(arg);
	return 0;
}
