// SPDX-License-Identifier: MIT
/*
 * strays.c - fork children that inherit breakpoints but are not traced.
 *
 *	strays CHILDREN		fire strays:::hit at its two sites; fork the children, one after
 *				another; in each of them, threads fire it all at once until its
 *				semaphore reads 0; print the number of children that have ended
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4

extern unsigned short strays_hit_semaphore __attribute__((visibility("hidden")));

static pthread_barrier_t barrier;

static __attribute__((noinline)) void hit(int i)
{
	DTRACE_PROBE1(strays, hit, i);
	DTRACE_PROBE1(strays, hit, i + 1);
}

static void *hit_while_enabled(void *arg)
{
	pthread_barrier_wait(&barrier);
	while (*(volatile unsigned short *)&strays_hit_semaphore)
		hit(2);
	return arg;
}

static void child(void)
{
	pthread_t threads[THREADS];

	if (!*(volatile unsigned short *)&strays_hit_semaphore)
		_exit(1); /* no breakpoint is inherited */
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, hit_while_enabled, NULL))
			abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	int nchildren = argc > 1 ? atoi(argv[1]) : 1, done = 0, status;

	hit(0);
	for (int i = 0; i < nchildren; i++) {
		pid_t pid = fork();

		if (!pid)
			child();
		if (waitpid(pid, &status, 0) == pid && !status)
			done++;
	}
	printf("%d\n", done);
	return 0;
}
