/* SPDX-License-Identifier: MIT */
/*
 * resumed.c - threads that fire without end, and count how often.
 *
 *	resumed THREADS
 *
 * The program answers each line of standard input: "stop", when all threads have stopped, by the
 * number of firings since the last "go"; "go" by "gone", and each thread fires at least once.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool going = true;
static int nstopped;
static unsigned long fired;

/* Wait until the threads go on. n: how often the current one has fired. */
static void stand_still(unsigned long n)
{
	DTRACE_PROBE(resumed, stopped);
	pthread_mutex_lock(&lock);
	fired += n;
	nstopped++;
	pthread_cond_broadcast(&changed);
	while (!going)
		pthread_cond_wait(&changed, &lock);
	nstopped--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *run(void *arg)
{
	(void)arg;
	for (unsigned long n = 0;; n = 0) {
		do
			DTRACE_PROBE1(resumed, hit, n++);
		while (going);
		stand_still(n);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const int nthreads = argc > 1 ? atoi(argv[1]) : 1;
	char line[16];

	for (int i = 0; i < nthreads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, NULL) != 0)
			return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		pthread_mutex_lock(&lock);
		going = strcmp(line, "go\n") == 0;
		while (!going && nstopped < nthreads)
			pthread_cond_wait(&changed, &lock);
		if (!going)
			printf("%lu\n", fired);
		fired = 0;
		pthread_cond_broadcast(&changed);
		while (going && nstopped)
			pthread_cond_wait(&changed, &lock);
		if (going)
			puts("gone");
		pthread_mutex_unlock(&lock);
		fflush(stdout);
	}
	return 0;
}
