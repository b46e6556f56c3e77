/* SPDX-License-Identifier: MIT */
/*
 * helpers.c - measure the processor time that ustack helpers take. A helper is a file of DOF.
 *
 *	attack-helpers take FILE	work with the helper and without it, in turns; print the
 *					work that is done with it, in percent of the work without
 *					it. The best round of each counts, since a busy host takes
 *					time from other rounds
 *	attack-helpers name FILE NAME	take the name NAME, and work with the helper without end
 *
 * Both run on the first processor.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <dtrace/helper.h>

#define ROUNDS 10
#define ROUND  300 /* ms */

static uint64_t dof[8192];
static int device;

static void fail(const char *what)
{
	fprintf(stderr, "attack-helpers: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void dof_read(const char *path)
{
	FILE *f = fopen(path, "r");

	if (!f || !fread(dof, 1, sizeof(dof), f))
		fail(path);
	fclose(f);
}

static int helper_add(void)
{
	dof_helper_t helper = {.dofhp_mod = "helpers", .dofhp_dof = (uintptr_t)dof};
	int gen = ioctl(device, DTRACEHIOC_ADDDOF, &helper);

	if (gen < 0)
		fail("the helper");
	return gen;
}

/* Work for a round. Return the amount of work done. */
static unsigned long work(void)
{
	struct timespec t;
	unsigned long done = 0;
	long long now, end = 0;

	do {
		for (volatile int turns = 0; turns < 1000; turns++)
			;
		done++;
		clock_gettime(CLOCK_MONOTONIC, &t);
		now = t.tv_sec * 1000LL + t.tv_nsec / 1000000;
		end = end ? end : now + ROUND;
	} while (now < end);
	return done;
}

static void take(void)
{
	unsigned long with = 0, without = 0, done;

	work();
	for (int i = 0; i < ROUNDS; i++) {
		int gen = helper_add();

		done = work();
		with = done > with ? done : with;
		if (ioctl(device, DTRACEHIOC_REMOVE, gen))
			fail("remove");
		done = work();
		without = done > without ? done : without;
	}
	printf("%lu\n", with * 100 / without);
}

int main(int argc, char **argv)
{
	cpu_set_t first;

	if (argc < 3)
		return 2;
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		fail("sched_setaffinity");
	dof_read(argv[2]);
	device = open(DTRACE_HELPER_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		fail(DTRACE_HELPER_DEVICE);
	if (argc == 3 && !strcmp(argv[1], "take")) {
		take();
	} else if (argc == 4 && !strcmp(argv[1], "name")) {
		helper_add();
		prctl(PR_SET_NAME, argv[3]);
		for (;;)
			work();
	}
	return 0;
}
