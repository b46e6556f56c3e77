// SPDX-License-Identifier: MIT
/*
 * interrupted.c - interrupt hits of interrupted:::hit for good: the first after N instructions, the
 * second after 2 * N ..., until a hit ends before. After each, fire interrupted:::plain. Then
 * assign 100 elements by interrupted:::set, and read them by interrupted:::get. Print how often
 * plain was fired.
 *
 *	interrupted HOW N
 *
 *	jump	a signal handler leaves by siglongjmp()
 *	move	the same; then the thread goes on on another CPU, if there is one
 *	exit	a signal handler ends the thread, whose stack is unmapped then
 *	kill	a forked child kills itself
 *	fork	a signal handler forks; the child fires plain and ends, the parent goes on
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define FLAG_TRAP "0x100" /* of the flags: a signal after each instruction */
#define STACK	  65536

static volatile long steps, target, *fired;
static volatile int done;
static const char *how;
static sigjmp_buf back;

static void plain(void)
{
	DTRACE_PROBE2(interrupted, plain, __atomic_add_fetch(fired, 1, __ATOMIC_RELAXED), "text");
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig, (void)info;
	if (++steps != target)
		return;
	done = 1;
	if (*how == 'j' || *how == 'm')
		siglongjmp(back, 1);
	if (*how == 'e')
		pthread_exit(NULL);
	if (*how == 'k')
		kill(getpid(), SIGKILL);
	uc->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
	if (fork() == 0) {
		plain();
		_exit(0);
	}
	wait(NULL);
}

static void *hit(void *arg)
{
	steps = 0;
	__asm__ volatile("lea -128(%%rsp),%%rsp; pushfq; orq $" FLAG_TRAP
			 ",(%%rsp); popfq; lea 128(%%rsp),%%rsp" ::
				 : "cc", "memory");
	DTRACE_PROBE2(interrupted, hit, target, "text");
	__asm__ volatile("lea -128(%%rsp),%%rsp; pushfq; andq $~" FLAG_TRAP
			 ",(%%rsp); popfq; lea 128(%%rsp),%%rsp" ::
				 : "cc", "memory");
	return arg;
}

/* Let a thread with a stack of its own fire. */
static void hit_in_thread(void)
{
	void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	if (stack == MAP_FAILED || pthread_attr_setstack(&attr, stack, STACK) != 0 ||
	    pthread_create(&thread, &attr, hit, NULL) != 0)
		exit(1);
	pthread_join(thread, NULL);
	munmap(stack, STACK);
}

/* Let a child fire. */
static void hit_in_child(void)
{
	const pid_t child = fork();
	int status;

	if (child == 0) {
		hit(NULL);
		_exit(0);
	}
	waitpid(child, &status, 0);
	done = WIFSIGNALED(status);
}

/* Run on the next CPU that the process may use. */
static void move(void)
{
	static cpu_set_t all;
	int cpu = sched_getcpu();
	cpu_set_t next;

	if (CPU_COUNT(&all) == 0 && sched_getaffinity(0, sizeof(all), &all) != 0)
		exit(1);
	CPU_ZERO(&next);
	do
		cpu = (cpu + 1) % CPU_SETSIZE;
	while (!CPU_ISSET(cpu, &all));
	CPU_SET(cpu, &next);
	if (sched_setaffinity(0, sizeof(next), &next) != 0)
		exit(1);
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_sigaction = on_trap,
					 .sa_flags = SA_SIGINFO | SA_NODEFER};

	if (argc != 3)
		return 2;
	how = argv[1];
	fired = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fired == MAP_FAILED)
		return 1;
	sigaction(SIGTRAP, &action, NULL);
	do {
		done = 0;
		target += atol(argv[2]);
		if (*how == 'e')
			hit_in_thread();
		else if (*how == 'k')
			hit_in_child();
		else if (sigsetjmp(back, 1) == 0)
			hit(NULL);
		if (*how == 'm')
			move();
		plain();
	} while (done);
	for (int i = 0; i < 100; i++)
		DTRACE_PROBE1(interrupted, set, i);
	for (int i = 0; i < 100; i++)
		DTRACE_PROBE1(interrupted, get, i);
	printf("fired %ld\n", *fired);
	return 0;
}
