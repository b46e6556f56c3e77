/* SPDX-License-Identifier: MIT */
/*
 * quadratic.c - registrations that take little time each, in numbers and at offsets for which
 * tables and lists are slowest.
 *
 *	attack-quadratic providers	30 registrations of 500 providers each: the last ones
 *					take no longer than the first ones
 *	attack-quadratic sites		a registration of 30,000 sites of a probe takes no longer
 *					if the probe has 1,000 registrations of one site before
 *	attack-quadratic matched	print the microseconds that the fastest of three
 *					registrations of 16 providers takes
 *	attack-quadratic collide FILE	make FILE, map it as code, register a probe with 30,000
 *					sites whose offsets have adjacent values of a
 *					multiplicative hash, and wait
 *	attack-quadratic children N M	a process with N registrations has 4, then M children,
 *					and ends, or registers more, before they have copies:
 *					other processes do not wait longer for their own
 *					registrations
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <dtrace/helper.h>
#include "../lib/dof.h"

#define NPROVIDERS	500
#define NROUNDS		30
#define NSITES		30000
#define NBEFORE		1000
#define NMATCHED	16
#define FILE_SIZE	(256L << 20)
#define GOLDEN_RATIO_64 0x61c8864680b583ebULL

extern char quadratic_sites[];
__asm__(".text\n.globl quadratic_sites\nquadratic_sites:\n.skip 65536, 0x90\nret\n");

static int helper;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int registered(void *dof)
{
	int gen = ioctl(helper, DTRACEHIOC_ADD, dof);

	if (gen < 0) {
		fprintf(stderr, "attack-quadratic: %s\n", strerror(errno));
		exit(1);
	}
	return gen;
}

/* Make DOF of n providers NAMEi, each with a probe `p` in function f at nsites sites by offset. */
static void *dof_make(const char *name, uint32_t nproviders, uint64_t base, const uint32_t *offsets,
		      uint32_t nsites)
{
	uint32_t nsecs = DOF_OTHERS + nproviders;
	struct dof_bytes file = {0}, strings = {0};
	dof_probe_t probe = {.dofpr_addr = base, .dofpr_noffs = nsites};
	char text[64];

	dof_add_string(&strings, "");
	probe.dofpr_func = dof_add_string(&strings, "f");
	probe.dofpr_name = dof_add_string(&strings, "p");
	dof_begin(&file, nsecs);
	dof_add_section(&file, DOF_PROBES, DOF_SECT_PROBES, 8, sizeof(probe), &probe,
			sizeof(probe));
	dof_add_section(&file, DOF_PRARGS, DOF_SECT_PRARGS, 1, 1, "", 1);
	dof_add_section(&file, DOF_PROFFS, DOF_SECT_PROFFS, 4, 4, offsets,
			nsites * sizeof(*offsets));
	for (uint32_t i = 0; i < nproviders; i++) {
		dof_provider_t provider;

		snprintf(text, sizeof(text), "%s%c%c%c", name, 'a' + i / 676, 'a' + i / 26 % 26,
			 'a' + i % 26);
		provider = dof_provider(dof_add_string(&strings, text));
		dof_add_section(&file, DOF_OTHERS + i, DOF_SECT_PROVIDER, 4, 0, &provider,
				offsetof(dof_provider_t, dofpv_prenoffs));
	}
	dof_add_section(&file, DOF_STRTAB, DOF_SECT_STRTAB, 1, 0, strings.data, strings.size);
	dof_end(&file, nsecs, DOF_VERSION_1);
	free(strings.data);
	return file.data;
}

static int providers(void)
{
	double took[NROUNDS], began;
	uint32_t offset = 0;
	char name[16];

	for (int i = 0; i < NROUNDS; i++) {
		void *dof;

		snprintf(name, sizeof(name), "q%c%c_", 'a' + i / 10, 'a' + i % 10);
		dof = dof_make(name, NPROVIDERS, (uintptr_t)quadratic_sites, &offset, 1);
		began = now();
		registered(dof);
		took[i] = now() - began;
		free(dof);
	}
	for (int i = 0; i < 5; i++) {
		took[0] = took[i] > took[0] ? took[i] : took[0];
		took[NROUNDS - 1] = took[NROUNDS - 1 - i] < took[NROUNDS - 1]
					    ? took[NROUNDS - 1 - i]
					    : took[NROUNDS - 1];
	}
	if (took[NROUNDS - 1] > 2.5 * took[0])
		printf("%u providers: %.3f s, after %u others %.3f s\n", NPROVIDERS, took[0],
		       NPROVIDERS * (NROUNDS - 5), took[NROUNDS - 1]);
	else
		puts("providers: the last as fast as the first");
	return 0;
}

static int sites(void)
{
	static uint32_t offsets[NSITES];
	double alone, beside;
	void *dof;

	for (uint32_t i = 0; i < NSITES; i++)
		offsets[i] = 2048 + i;
	dof = dof_make("quadratic", 1, (uintptr_t)quadratic_sites, offsets, NSITES);
	alone = now();
	ioctl(helper, DTRACEHIOC_REMOVE, registered(dof));
	alone = now() - alone;
	for (uint32_t i = 0; i < NBEFORE; i++) {
		void *one = dof_make("quadratic", 1, (uintptr_t)quadratic_sites, &i, 1);

		registered(one);
		free(one);
	}
	beside = now();
	ioctl(helper, DTRACEHIOC_REMOVE, registered(dof));
	beside = now() - beside;
	if (beside > 3 * alone)
		printf("%u sites: %.3f s, beside %u registrations %.3f s\n", NSITES, alone, NBEFORE,
		       beside);
	else
		puts("sites: as fast as without others");
	return 0;
}

static int matched(void)
{
	uint32_t offset = 0;
	void *dof = dof_make("matched", NMATCHED, (uintptr_t)quadratic_sites, &offset, 1);
	double took, least = 0;

	for (int i = 0; i < 3; i++) {
		int gen;

		took = now();
		gen = registered(dof);
		took = now() - took;
		if (i == 0 || took < least)
			least = took;
		ioctl(helper, DTRACEHIOC_REMOVE, gen);
	}
	printf("%.0f\n", least * 1e6);
	return 0;
}

static int collide(const char *path)
{
	static uint32_t offsets[NSITES];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
	uint32_t n = 0;
	char *code;

	if (fd < 0 || ftruncate(fd, FILE_SIZE))
		return 1;
	code = mmap(NULL, FILE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (code == MAP_FAILED)
		return 1;
	for (uint64_t offset = 0; n < NSITES && offset < FILE_SIZE; offset++)
		if (offset * GOLDEN_RATIO_64 >> 52 == 0)
			offsets[n++] = (uint32_t)offset;
	registered(dof_make("collide", 1, (uintptr_t)code, offsets, n));
	printf("registered %u\n", n);
	fflush(stdout);
	getchar();
	return 0;
}

/* ---- children ---- */

static atomic_bool told_to_end;

/*
 * Register and remove a probe until told to end; set *arg to the longest time of both. It has a new
 * name each time: that of one that was removed waits until the module has freed it.
 */
static void *wait_longest(void *arg)
{
	static uint32_t offset = 1024;
	double *longest = arg;

	while (!told_to_end) {
		char name[16];
		double took;
		void *dof;

		snprintf(name, sizeof(name), "other%u_", offset++);
		dof = dof_make(name, 1, (uintptr_t)quadratic_sites, &offset, 1);
		took = now();
		ioctl(helper, DTRACEHIOC_REMOVE, registered(dof));
		took = now() - took;
		if (took > *longest)
			*longest = took;
		free(dof);
	}
	return NULL;
}

/*
 * Register nprobes probes, have n children, which wait until the other end of fd is closed,
 * register one more if told to, and end.
 */
static void parent(uint32_t nprobes, int n, bool more, int fd)
{
	uint32_t i;
	char end;

	for (i = 0; i < nprobes; i++)
		registered(dof_make("copied", 1, (uintptr_t)quadratic_sites, &i, 1));
	while (n--)
		if (fork() == 0)
			_exit((int)read(fd, &end, 1));
	if (more)
		registered(dof_make("copied", 1, (uintptr_t)quadratic_sites, &i, 1));
	_exit(0);
}

/* Wait until the module has handled all forks and ends of processes: a listing does. */
static void wait_handled(void)
{
	if (system("dtrace -l -P dtrace >/dev/null"))
		exit(1);
}

/* Return the longest time that this process waits beside such a parent. */
static double beside_children(uint32_t nprobes, int n, bool more)
{
	double longest = 0;
	pthread_t waits;
	int fds[2];
	pid_t pid;
	char end;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) || (pid = fork()) < 0)
		exit(1);
	if (pid == 0) {
		close(fds[0]);
		parent(nprobes, n, more, fds[1]);
	}
	close(fds[1]);
	told_to_end = false;
	pthread_create(&waits, NULL, wait_longest, &longest);
	waitpid(pid, NULL, 0);
	wait_handled();
	shutdown(fds[0], SHUT_WR);
	if (read(fds[0], &end, 1))
		exit(1);
	wait_handled();
	close(fds[0]);
	told_to_end = true;
	pthread_join(waits, NULL);
	return longest;
}

/*
 * Compare the longer time beside few children with the shorter one beside many: on a busy machine,
 * a wait may be for a processor.
 */
static void judge_children(const char *what, uint32_t nprobes, int n, bool more)
{
	double few = beside_children(nprobes, 4, more), few2 = beside_children(nprobes, 4, more);
	double many = beside_children(nprobes, n, more), many2 = beside_children(nprobes, n, more);

	few = few > few2 ? few : few2;
	many = many < many2 ? many : many2;
	if (many > 8 * few)
		printf("%s: others wait %.3f s beside 4 children, %.3f s beside %d\n", what, few,
		       many, n);
	else
		printf("%s: others do not wait longer\n", what);
}

static int children(uint32_t nprobes, int n)
{
	judge_children("the parent ends", nprobes, n, false);
	judge_children("the parent registers more", nprobes, n, true);
	return 0;
}

int main(int argc, char **argv)
{
	helper = open(DTRACE_HELPER_DEVICE, O_RDWR);
	if (argc == 2 && !strcmp(argv[1], "providers"))
		return providers();
	if (argc == 2 && !strcmp(argv[1], "sites"))
		return sites();
	if (argc == 4 && !strcmp(argv[1], "children"))
		return children((uint32_t)atoi(argv[2]), atoi(argv[3]));
	if (argc == 2 && !strcmp(argv[1], "matched"))
		return matched();
	if (argc == 3 && !strcmp(argv[1], "collide"))
		return collide(argv[2]);
	fprintf(stderr,
		"usage: attack-quadratic providers | sites | children N M | matched | collide FILE\n");
	return 2;
}
