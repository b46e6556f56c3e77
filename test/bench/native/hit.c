// SPDX-License-Identifier: MIT
/*
 * hit.c - a program that hits one probe, and a stop-watch, for test/bench/native.py.
 *
 *	hit HITS ROUNDS THREADS
 *	hit gap
 *	hit start
 *
 * Each of THREADS threads hits the probe bench:hit HITS times in each of ROUNDS rounds, with a
 * pause after each round, in which tracers can empty their buffers. Prints the nanoseconds that a
 * hit took in the best round of a thread, and the nanoseconds of processor time per hit of the
 * whole. The same rounds without the probe are subtracted from both.
 *
 * gap: print a line, look at the clock for GAP nanoseconds, and print the longest time in
 * microseconds between two looks. start: print how many nanoseconds the constructors took, those of
 * the start-up object. LTTNG: the probe is LTTng-UST's, else that of sys/sdt.h.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef LTTNG
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "hit_lttng.h"
#define HIT(value) lttng_ust_tracepoint(bench, hit, value)
#else
#include <sys/sdt.h>
#define HIT(value) DTRACE_PROBE2(bench, hit, (value)&15, value)
#endif

#define PAUSE 2000 /* microseconds */
#define GAP   1.5e9

static long hits, rounds;
static pthread_barrier_t start;

struct thread {
	pthread_t id;
	bool probe;
	double best; /* nanoseconds per hit */
};

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static double round_time(bool probe)
{
	double began = now(CLOCK_MONOTONIC);

	if (probe)
		for (long i = 0; i < hits; i++)
			HIT(i);
	else
		for (long i = 0; i < hits; i++)
			__asm__ volatile("" : : "r"(i & 15), "r"(i));
	return (now(CLOCK_MONOTONIC) - began) / hits;
}

static void *run(void *arg)
{
	struct thread *me = arg;

	pthread_barrier_wait(&start);
	for (long round = 0; round < rounds; round++) {
		double took = round_time(me->probe);

		if (round == 0 || took < me->best)
			me->best = took;
		usleep(PAUSE);
	}
	return NULL;
}

/* Run all threads. Return the processor time per hit, and the best time of a hit in *best. */
static double measure(struct thread *threads, long nthreads, bool probe, double *best)
{
	double began = now(CLOCK_PROCESS_CPUTIME_ID);

	for (long i = 0; i < nthreads; i++) {
		threads[i].probe = probe;
		if (pthread_create(&threads[i].id, NULL, run, &threads[i]) != 0) {
			fputs("hit: cannot create a thread\n", stderr);
			exit(1);
		}
	}
	for (long i = 0; i < nthreads; i++) {
		pthread_join(threads[i].id, NULL);
		if (i == 0 || threads[i].best < *best)
			*best = threads[i].best;
	}
	return (now(CLOCK_PROCESS_CPUTIME_ID) - began) / ((double)hits * rounds * nthreads);
}

static double began;

/* Of the constructors with this priority, the one that is linked first runs first. */
__attribute__((constructor(101))) static void note_time(void)
{
	began = now(CLOCK_MONOTONIC);
}

static int gap(void)
{
	double first = now(CLOCK_MONOTONIC), last = first, longest = 0;

	puts("ready");
	fflush(stdout);
	while (last - first < GAP) {
		double next;

		HIT(0L);
		next = now(CLOCK_MONOTONIC);
		if (next - last > longest)
			longest = next - last;
		last = next;
	}
	printf("%.0f\n", longest / 1e3);
	return 0;
}

int main(int argc, char **argv)
{
	long nthreads = argc == 4 ? atol(argv[3]) : 0;
	struct thread *threads;
	double constructed = now(CLOCK_MONOTONIC), with, without, best, empty;

	if (argc == 2 && strcmp(argv[1], "start") == 0) {
		printf("%.0f\n", constructed - began);
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "gap") == 0)
		return gap();
	if (nthreads < 1) {
		fputs("usage: hit HITS ROUNDS THREADS | hit gap | hit start\n", stderr);
		return 2;
	}
	hits = atol(argv[1]);
	rounds = atol(argv[2]);
	threads = calloc(nthreads, sizeof(*threads));
	if (!threads || pthread_barrier_init(&start, NULL, nthreads) != 0)
		return 1;
	without = measure(threads, nthreads, false, &empty);
	with = measure(threads, nthreads, true, &best);
	fprintf(stderr, "%.2f %.2f\n", best - empty, with - without);
	return 0;
}
