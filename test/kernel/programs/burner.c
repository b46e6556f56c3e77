/* SPDX-License-Identifier: MIT */
/*
 * burner.c - use the processor: burner THREADS CHILDREN. Each thread and each child runs much() for
 * three times as long as little(), in CPU time. At the end, print the run times of the threads, and
 * of the children, in ms.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS     1000000
#define SHARE  (100L * MS)
#define ROUNDS 200000

static long used(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000L * MS + now.tv_nsec;
}

__attribute__((noinline)) static void much(void)
{
	for (long end = used() + 3 * SHARE; used() < end;)
		for (volatile int i = 0; i < ROUNDS; i++)
			;
}

__attribute__((noinline)) static void little(void)
{
	for (long end = used() + SHARE; used() < end;)
		for (volatile int i = 0; i < ROUNDS; i++)
			;
}

static void *burn(void *arg)
{
	much();
	little();
	return arg;
}

static long ms(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1, children = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t thread[64];

	for (int i = 0; i < children; i++)
		if (fork() == 0) {
			burn(NULL);
			_exit(0);
		}
	for (int i = 0; i < threads && i < 64; i++)
		pthread_create(&thread[i], NULL, burn, NULL);
	for (int i = 0; i < threads && i < 64; i++)
		pthread_join(thread[i], NULL);
	while (wait(NULL) > 0)
		;
	printf("burnt %ld %ld\n", ms(RUSAGE_SELF), ms(RUSAGE_CHILDREN));
	return 0;
}
