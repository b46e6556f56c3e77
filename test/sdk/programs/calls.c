/* SPDX-License-Identifier: MIT */
/* calls.c - a program that says the same with recorded and with call sites. */
#include <stdio.h>
#include "calls.h"
#include "fire.h"

static volatile int zero;

static __attribute__((noinline)) long twelve(int a, long b, int c, long d, int e, long f, int g,
					     long h, int i, long j, int k, long l)
{
	CALLS_TWELVE(a, b, c, d, e, f, g, h, i, j, k, l);
	return a + b + c + d + e + f + g + h + i + j + k + l;
}

static __attribute__((noinline)) int guarded(int id)
{
	int n = 0;

	if (CALLS_GUARDED_ENABLED()) {
		n = id;
		CALLS_GUARDED(id);
	}
	CALLS_NONE_ENABLED();
	return n;
}

static __attribute__((noinline)) int enabled(void)
{
	return CALLS_NONE_ENABLED();
}

/* The last thing that the function does: as a call, a jump. */
static __attribute__((noinline)) void last(int n)
{
	CALLS_LAST(n);
}

int main(void)
{
	int z = zero;

	setvbuf(stdout, NULL, _IOLBF, 0);
	CALLS_NONE();
	fire_silent = 1;
	CALLS_THREE(-3 + z, "three", 200);
	fire_silent = 0;
	printf("three %d %s %u\n", (int)fire_arg(0), (const char *)(unsigned long)fire_arg(1),
	       (unsigned int)fire_arg(2));
	printf("twelve %ld\n",
	       twelve(1 + z, 2, -3 + z, 4, 5 + z, -6, 7 + z, 8, -9 + z, 10, 11 + z, -12));
	printf("guarded %d %d\n", guarded(5 + z), enabled());
	fire_enable();
	printf("guarded %d %d\n", guarded(6 + z), enabled());
	last(7 + z);
	return 0;
}
