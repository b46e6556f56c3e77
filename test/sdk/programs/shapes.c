/* SPDX-License-Identifier: MIT */
/* shapes.c - probes in every kind of function and statement of C, and is-enabled. */
#include <stdio.h>
#include <sys/sdt.h>
#include "fire.h"

#define PROVIDER shapes
#define NAME	 from__macro

static volatile int zero;

static void quiet(void)
{
	DTRACE_PROBE(shapes, in__static);
}

static __inline__ int twice(int x)
{
	DTRACE_PROBE1(shapes, in__inline, x);
	return 2 * x;
}

static int factorial(int n)
{
	DTRACE_PROBE1(shapes, recursion, n);
	return n < 2 ? 1 : n * factorial(n - 1);
}

static void branches(int n)
{
	if (n)
		DTRACE_PROBE1(shapes, then, n);
	else
		DTRACE_PROBE1(shapes, otherwise, n);
	switch (n) {
	case 1:
		DTRACE_PROBE1(shapes, one, n);
		break;
	default:
		DTRACE_PROBE1(shapes, other, n);
	}
}

static int guarded(void)
{
	int n = 0;

	if (DTRACE_PROBE_ENABLED(shapes, guarded)) {
		n++;
		DTRACE_PROBE1(shapes, guarded, n);
	}
	DTRACE_PROBE_ENABLED(shapes, guarded);
	return n + (DTRACE_PROBE_ENABLED(shapes, unused) ? 10 : 0) +
	       !DTRACE_PROBE_ENABLED(shapes, guarded);
}

__attribute__((constructor)) static void begin(void)
{
	DTRACE_PROBE(shapes, constructor);
}

__attribute__((destructor)) static void end(void)
{
	DTRACE_PROBE(shapes, destructor);
}

/* A tail call and a return right behind a probe. */
static __attribute__((noinline)) int last(int n)
{
	int sum = twice(n);

	DTRACE_PROBE1(shapes, last, sum);
	return factorial(sum);
}

int main(void)
{
	int i, sum = 0;

	quiet();
	printf("twice %d\n", twice(3 + zero));
	for (i = 0; i < 3 + zero; i++) {
		sum += i;
		DTRACE_PROBE2(shapes, loop, i, sum);
	}
	printf("last %d\n", last(1 + zero));
	branches(zero);
	branches(1 + zero);
	DTRACE_PROBE(PROVIDER, NAME);
	printf("guarded %d\n", guarded());
	fire_enable();
	printf("guarded %d\n", guarded());
	return 0;
}
