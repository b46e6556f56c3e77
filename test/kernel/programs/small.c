/* SPDX-License-Identifier: MIT */
/*
 * small.c - has what Go's linker and run time make: a note, threads with stacks of which little is
 * left where functions begin, and signal handlers on alternate stacks. It ends with status 1 if
 * memory below such a stack is overwritten.
 *
 *	small		threads call functions a number of times
 *	small wait	the main thread does, until SIGTERM; its stack and its variables are in one
 *			mapping
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define THREADS 2
#define PASSES	20000L
#define BELOW	131072 /* bytes that belong to others */
#define LEFT	512    /* bytes that functions may use */
#define FILL	0x5a

__asm__(".pushsection .note.go.buildid, \"a\", @note\n"
	".long 4, 4, 4\n"
	".ascii \"Go\\0\\0test\"\n"
	".popsection\n");

static int signals;
static volatile sig_atomic_t over;

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

__attribute__((noinline)) void small_signal(int sig)
{
	__asm__ volatile("nop" ::: "memory"); /* the kernel has no breakpoints at `lock` */
	(void)sig;
	__atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) int small_leaf(int x)
{
	__asm__ volatile("");
	return x + 1;
}

__attribute__((noinline)) int small_work(int x)
{
	return small_leaf(x) * 2;
}

/* Call small_work() with a stack that ends at top. Return its result. */
static int work(char *top, int x)
{
	int rv;

	__asm__ volatile("mov %%rsp, %%rbx\n"
			 "mov %2, %%rsp\n"
			 "call small_work\n"
			 "mov %%rbx, %%rsp"
			 : "=a"(rv), "+D"(x)
			 : "r"(top)
			 : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
	return rv;
}

/*
 * Call functions arg times, or until SIGTERM. Return the number of wrong results and of bytes that
 * were overwritten.
 */
static void *run(void *arg)
{
	static _Thread_local char memory[BELOW + LEFT] __attribute__((aligned(16)));
	const stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
	long wrong = 0;

	sigaltstack(&stack, NULL);
	memset(memory, FILL, BELOW);
	for (long i = 0; i < (long)arg && !over; i++)
		wrong += work(memory + sizeof(memory), (int)i) != ((int)i + 1) * 2;
	for (int i = 0; i < BELOW; i++)
		wrong += memory[i] != FILL;
	return (void *)wrong;
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = small_signal,
					 .sa_flags = SA_ONSTACK | SA_RESTART};
	const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	const struct sigaction term = {.sa_handler = on_term, .sa_flags = SA_ONSTACK};
	pthread_t threads[THREADS];
	long wrong = 0;
	sigset_t alarm;

	if (argc > 1 && strcmp(argv[1], "wait") == 0) {
		sigaction(SIGTERM, &term, NULL);
		wrong = (long)run((void *)LONG_MAX);
		printf("wrong %ld\n", wrong);
		return wrong != 0;
	}
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)PASSES);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < THREADS; i++) {
		void *rv;

		pthread_join(threads[i], &rv);
		wrong += (long)rv;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("signals %d, wrong %ld\n", signals, wrong);
	return wrong != 0;
}
