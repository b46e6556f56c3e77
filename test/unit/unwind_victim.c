/* SPDX-License-Identifier: MIT */
/*
 * unwind_victim.c - code of all shapes that unwind tables have to describe, between a SIGSTOP of
 * its own and its end; for unwind.c, which looks at its stack at many instructions. Status 0: all
 * results were right.
 */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define FAR __attribute__((noinline))

static volatile int handled, sink;
static jmp_buf far_back;

FAR static int leaf(int x)
{
	return x * 3 + sink;
}

FAR static int deep(int n)
{
	return n == 0 ? leaf(n) : deep(n - 1) + leaf(n);
}

FAR static int roomy(int n)
{
	volatile char *p = alloca(n * 16);

	p[0] = (char)n;
	p[n * 16 - 1] = (char)leaf(n);
	return p[0] + deep(2);
}

/*
 * The stack is aligned anew, and of a size that is not known: the frame is found by a saved
 * pointer.
 */
FAR static int aligned(int n)
{
	volatile _Alignas(128) char box[256];
	volatile char *p = alloca(n);

	box[n] = (char)leaf(n);
	p[n - 1] = box[n];
	return p[n - 1] + deep(1);
}

FAR static int tail(int n)
{
	return deep(n & 3);
}

FAR static int chosen(int n)
{
	switch (n) {
	case 0:
		return leaf(1) + 1;
	case 1:
		return tail(2);
	case 2:
		return roomy(3);
	case 3:
		return aligned(40);
	case 4:
		return leaf(4) - deep(1);
	default:
		return 0;
	}
}

static int by_value(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

FAR static int sorted(void)
{
	int values[6] = {5, 3, 4, 1, 6, 2};

	qsort(values, 6, sizeof(values[0]), by_value);
	return values[0] == 1 && values[5] == 6;
}

FAR static void jump(int n)
{
	if (n == sink)
		longjmp(far_back, 1);
	if (n > 0)
		jump(n - 1);
	handled++;
}

static void on_signal(int sig)
{
	handled += deep(1) + sig;
}

/* It is left by another system call, on i386. */
static void on_signal_informed(int sig, siginfo_t *info, void *context)
{
	handled += info->si_signo == sig && context ? deep(1) + sig : 0;
}

FAR static int signals(void)
{
	static char other[16384];
	stack_t stack = {.ss_sp = other, .ss_size = sizeof(other)};
	struct sigaction act = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &act, NULL);
	act.sa_sigaction = on_signal_informed;
	act.sa_flags = SA_ONSTACK | SA_SIGINFO;
	sigaction(SIGUSR2, &act, NULL);
	sigaltstack(&stack, NULL);
	raise(SIGUSR1);
	raise(SIGUSR2);
	return handled == SIGUSR1 + SIGUSR2 + 2 * deep(1);
}

int main(void)
{
	char text[64];
	struct timeval tv;
	volatile int sum = 0;

	raise(SIGSTOP);
	for (int i = 0; i < 6; i++)
		sum += chosen(i);
	if (!sorted() || !signals())
		return 1;
	if (setjmp(far_back) == 0)
		jump(3);
	gettimeofday(&tv, NULL);
	snprintf(text, sizeof(text), "%d %.3f %s", sum, sum / 3.0, "text");
	return strlen(text) < 8 || tv.tv_sec == 0 || sink != 0;
}
