/* SPDX-License-Identifier: MIT */
/*
 * leaf.c - a probe in a leaf function whose variables are in the red zone below the stack pointer.
 */
#include <stdio.h>
#include <sys/sdt.h>

static volatile int zero;

static __attribute__((noinline)) long leaf(long a, long b, long c, long d, long e, long f)
{
	volatile long zone[8];
	long sum = 0;
	int i;

	for (i = 0; i < 8; i++)
		zone[i] = a + i;
	DTRACE_PROBE6(leaf, middle, a, b, zone[1], zone[7], e, f);
	for (i = 0; i < 8; i++)
		sum += zone[i];
	DTRACE_PROBE1(leaf, end, sum);
	return sum + a + b + c + d + e + f;
}

int main(void)
{
	int z = zero;

	printf("%ld\n", leaf(1 + z, 2 + z, 3 + z, 4 + z, 5 + z, 6 + z));
	return 0;
}
