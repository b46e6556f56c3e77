// SPDX-License-Identifier: MIT
/*
 * clock.c - compares the time of hits with the clock.
 *
 *	clock THREADS ROUNDS
 *
 * This process and a forked child have THREADS threads each. A thread hits clock:::hit(before,
 * after) in each round: the time before this hit, and the time after the thread's last hit, in ns
 * of CLOCK_MONOTONIC. Its rounds come in bursts, with a rest after each. Signal handlers hit
 * clock:::interrupt meanwhile, on top of other hits.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/sdt.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BURST 500 /* rounds */

static long rounds;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void on_signal(int sig)
{
	DTRACE_PROBE1(clock, interrupt, sig);
}

static void *hit(void *arg)
{
	uint64_t before, after = now();

	(void)arg;
	for (long i = 1; i <= rounds; i++) {
		before = now();
		DTRACE_PROBE2(clock, hit, before, after);
		after = now();
		if (i % BURST == 0)
			usleep(i % 16);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct itimerval each = {{0, 1000}, {0, 1000}};
	const int nthreads = argc == 3 ? atoi(argv[1]) : 0;
	pthread_t *threads = calloc(nthreads + 1, sizeof(*threads));
	int status = 1;
	pid_t child;

	if (!threads || nthreads < 1)
		return 2;
	rounds = atol(argv[2]);
	signal(SIGPROF, on_signal);
	child = fork();
	setitimer(ITIMER_PROF, &each, NULL);
	for (int i = 0; i < nthreads; i++)
		if (pthread_create(&threads[i], NULL, hit, NULL) != 0)
			return 1;
	for (int i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	if (child > 0)
		waitpid(child, &status, 0);
	return child && status;
}
