// SPDX-License-Identifier: MIT
/*
 * leaves.c - fire leaves:::hit(i) as fast as possible, while 100 signals of a timer arrive. Their
 * handler fires leaves:::handler, and leaves by siglongjmp() every third time. Then print how often
 * the program was about to fire hit and handler.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/sdt.h>
#include <sys/time.h>

static volatile long hits, handlers;
static sigjmp_buf back;

static void on_alarm(int sig)
{
	(void)sig;
	handlers++;
	DTRACE_PROBE1(leaves, handler, handlers);
	if (handlers % 3 == 0)
		siglongjmp(back, 1);
}

int main(void)
{
	const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {0};

	signal(SIGALRM, on_alarm);
	sigsetjmp(back, 1);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handlers < 100) {
		hits++;
		DTRACE_PROBE1(leaves, hit, hits);
	}
	setitimer(ITIMER_REAL, &never, NULL); /* no handler may interrupt printf() */
	printf("%ld %ld\n", hits, handlers);
	return 0;
}
