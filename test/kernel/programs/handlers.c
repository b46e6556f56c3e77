// SPDX-License-Identifier: MIT
/*
 * handlers.c - four threads fire handlers:::hit as fast as possible, while 2,000 signals of a timer
 * arrive. Their handler fires handlers:::handler and raises another signal, whose handler fires
 * handlers:::nested. Then print how often each probe was fired.
 *
 *	handlers [alternate]	alternate: handlers run on stacks above those of the threads
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/time.h>

#define THREADS 4
#define SIGNALS 2000
#define STACK	65536

static char *stacks; /* NULL: none */
static long hits[THREADS], handlers, nested;

static void on_alarm(int sig)
{
	(void)sig;
	DTRACE_PROBE1(handlers, handler, __atomic_add_fetch(&handlers, 1, __ATOMIC_RELAXED));
	raise(SIGUSR1);
}

static void on_user(int sig)
{
	(void)sig;
	DTRACE_PROBE1(handlers, nested, __atomic_add_fetch(&nested, 1, __ATOMIC_RELAXED));
}

static void *work(void *arg)
{
	const long i = (long)arg;
	const stack_t stack = {.ss_sp = stacks + i * STACK, .ss_size = STACK};

	if (stacks)
		sigaltstack(&stack, NULL);
	while (__atomic_load_n(&handlers, __ATOMIC_RELAXED) < SIGNALS) {
		hits[i]++;
		DTRACE_PROBE1(handlers, hit, i);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct itimerval often = {{0, 500}, {0, 500}}, never = {0};
	struct sigaction action = {.sa_handler = on_alarm};
	pthread_t threads[THREADS];
	long sum = 0;
	sigset_t set;

	(void)argv;
	if (argc > 1) {
		/* The kernel maps the stacks of threads below what is mapped already. */
		stacks = mmap(NULL, THREADS * STACK, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (stacks == MAP_FAILED)
			return 1;
		action.sa_flags = SA_ONSTACK;
	}
	sigaction(SIGALRM, &action, NULL);
	action.sa_handler = on_user;
	sigaction(SIGUSR1, &action, NULL);
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
			return 1;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += hits[i];
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("hit %ld\nhandler %ld\nnested %ld\n", sum, handlers, nested);
	return 0;
}
