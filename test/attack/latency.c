/* SPDX-License-Identifier: MIT */
/*
 * latency.c - measure how long a command takes, and keep the machine busy meanwhile.
 *
 *	attack-latency measure N CMD ARG...	run the command N times, one after the other; print
 *						the median in microseconds
 *	attack-latency hog			use a processor, without dtrace
 *	attack-latency flood			register and remove 2,000 probes, without end
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <dtrace/helper.h>
#include "../lib/dof.h"

#define NPROBES	 2000
#define PROVIDER DOF_OTHERS
#define NSECS	 (DOF_OTHERS + 1)

extern char **environ;

/* Code with space for the probes; nothing calls it. */
extern const char flood_sites[];
__asm__(".text\n.globl flood_sites\nflood_sites:\n.rept 2000\n"
	".byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90\n.endr\nret\n");

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int measure(int n, char **command)
{
	double *took = calloc((size_t)n, sizeof(*took));
	int status = 0;
	pid_t pid;

	for (int i = 0; took && i < n; i++) {
		double began = now();

		if (posix_spawnp(&pid, command[0], NULL, NULL, command, environ) ||
		    waitpid(pid, &status, 0) != pid || status) {
			fprintf(stderr, "attack-latency: %s: failed with status %d\n", command[0],
				status);
			return 1;
		}
		took[i] = now() - began;
	}
	if (!took)
		return 1;
	qsort(took, (size_t)n, sizeof(*took), compare);
	printf("%.0f\n", took[n / 2]);
	return 0;
}

static void *flood_dof(void)
{
	static dof_probe_t probes[NPROBES];
	static uint32_t offsets[NPROBES];
	struct dof_bytes file = {0}, strings = {0};
	dof_provider_t provider;
	char name[32];

	dof_begin(&file, NSECS);
	dof_add_string(&strings, "");
	provider = dof_provider(dof_add_string(&strings, "flood"));
	for (uint32_t i = 0; i < NPROBES; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		probes[i].dofpr_addr = (uint64_t)(uintptr_t)flood_sites;
		probes[i].dofpr_func = dof_add_string(&strings, name);
		snprintf(name, sizeof(name), "probe_%u", i);
		probes[i].dofpr_name = dof_add_string(&strings, name);
		probes[i].dofpr_offidx = i;
		probes[i].dofpr_noffs = 1;
		offsets[i] = 8 * i;
	}
	dof_add_section(&file, DOF_PROBES, DOF_SECT_PROBES, 8, sizeof(probes[0]), probes,
			sizeof(probes));
	dof_add_section(&file, DOF_PRARGS, DOF_SECT_PRARGS, 1, 1, "", 1);
	dof_add_section(&file, DOF_PROFFS, DOF_SECT_PROFFS, 4, 4, offsets, sizeof(offsets));
	dof_add_section(&file, PROVIDER, DOF_SECT_PROVIDER, 4, 0, &provider,
			offsetof(dof_provider_t, dofpv_prenoffs));
	dof_add_section(&file, DOF_STRTAB, DOF_SECT_STRTAB, 1, 0, strings.data, strings.size);
	dof_end(&file, NSECS, DOF_VERSION_1);
	return file.data;
}

static int flood(void)
{
	int fd = open(DTRACE_HELPER_DEVICE, O_RDWR), gen;
	unsigned long taken = 0;
	void *dof = flood_dof();

	for (;;) {
		gen = ioctl(fd, DTRACEHIOC_ADD, dof);
		if (gen >= 0 && !taken++) {
			puts("go");
			fflush(stdout);
		}
		if (gen < 0 && !taken) {
			perror("attack-latency: the first registration");
			return 1;
		}
		if (gen >= 0)
			ioctl(fd, DTRACEHIOC_REMOVE, gen);
	}
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "measure"))
		return measure(atoi(argv[2]), argv + 3);
	if (argc == 2 && !strcmp(argv[1], "flood"))
		return flood();
	if (argc != 2 || strcmp(argv[1], "hog") != 0) {
		fprintf(stderr, "usage: attack-latency measure N CMD ARG... | hog | flood\n");
		return 2;
	}
	puts("go");
	fflush(stdout);
	for (volatile unsigned long turns = 0;; turns++)
		;
}
