// SPDX-License-Identifier: MIT
/*
 * coroutines.c - fire coroutines:::hit(number, "text") while a timer's signals interrupt hits.
 *
 *	coroutines switch N	6 coroutines, whose stacks of 16 KiB lie side by side, fire N times
 *				each; the signal handler switches to the next one
 *	coroutines nest N	the program fires N times; the signal handler fires too, on a stack
 *				that the kernel disarms meanwhile, right above the program's frame
 *
 * Print how many hits there were.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/time.h>
#include <ucontext.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif
#define COROUTINES 6
#define STACK	   16384

static ucontext_t context[COROUTINES], outside;
static volatile int current, ended;
static volatile long fired[COROUTINES + 1];
static long n;

static void fire(int i)
{
	fired[i]++;
	DTRACE_PROBE2(coroutines, hit, fired[i], "text");
}

static void on_switch(int sig)
{
	const int was = current, next = (was + 1) % COROUTINES;

	(void)sig;
	current = next;
	swapcontext(&context[was], &context[next]);
}

static void on_nested(int sig)
{
	(void)sig;
	fire(COROUTINES);
}

static void mask(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(how, &set, NULL);
}

static void timer(long us)
{
	const struct itimerval every = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &every, NULL);
}

/* The last coroutine that ends leaves all of them. */
static void coroutine(int i)
{
	mask(SIG_UNBLOCK);
	while (fired[i] < n)
		fire(i);
	ended++;
	while (ended < COROUTINES)
		;
	mask(SIG_BLOCK);
	setcontext(&outside);
}

static void run_coroutines(void)
{
	char *stacks = mmap(NULL, (size_t)COROUTINES * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static volatile bool back;

	if (stacks == MAP_FAILED)
		exit(1);
	signal(SIGALRM, on_switch);
	mask(SIG_BLOCK);
	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&context[i]);
		context[i].uc_stack.ss_sp = stacks + i * STACK;
		context[i].uc_stack.ss_size = STACK;
		makecontext(&context[i], (void (*)(void))coroutine, 1, i);
	}
	timer(200);
	getcontext(&outside);
	if (!back) {
		back = true;
		setcontext(&context[0]);
	}
	timer(0);
}

static void run_nested(void)
{
	const struct sigaction action = {.sa_handler = on_nested, .sa_flags = SA_ONSTACK};
	char stack[32768];
	const stack_t alternate = {
		.ss_sp = stack, .ss_size = sizeof(stack), .ss_flags = (int)SS_AUTODISARM};

	if (sigaltstack(&alternate, NULL) != 0)
		exit(1);
	sigaction(SIGALRM, &action, NULL);
	timer(500);
	while (fired[0] < n)
		fire(0);
	timer(0);
}

int main(int argc, char **argv)
{
	long sum = 0;

	if (argc != 3)
		return 2;
	n = atol(argv[2]);
	if (strcmp(argv[1], "switch") == 0)
		run_coroutines();
	else
		run_nested();
	for (int i = 0; i <= COROUTINES; i++)
		sum += fired[i];
	printf("%ld hits\n", sum);
	return 0;
}
