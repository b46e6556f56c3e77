// SPDX-License-Identifier: MIT
/*
 * grows.c - call a thousand functions, get MEGABYTES by brk() and use them, then a stack of 7 MB.
 *
 * Operands of the functions' first instructions are all over the range of 32 bits, so that jumps
 * from there lead anywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "repeat.h"

/* clang-format off */
#define ONE(n) \
	__attribute__((noinline)) int fun_##n(int x) \
	{ \
		volatile unsigned int y = (unsigned int)x * (1##n * 2654435u); \
		return (int)y + 1; \
	}
#define ALL \
	HUNDRED(0) HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) \
	HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8) HUNDRED(9)

ALL
#undef ONE
#define ONE(n) sum = fun_##n(sum);

static int call_all(int sum)
{
	ALL
	return sum;
}
/* clang-format on */

/* Use a stack of n pages. Return something that depends on all of them. */
static __attribute__((noinline)) int deep(int n)
{
	char page[4096];

	memset(page, n, sizeof(page));
	__asm__ volatile("" : : "r"(page) : "memory");
	return n ? deep(n - 1) + page[n] : 0;
}

int main(int argc, char **argv)
{
	const long most = argc > 1 ? atol(argv[1]) : 1;
	long got = 0;

	if (!call_all(argc))
		return 1;
	while (got < most) {
		char *at = sbrk(1 << 20);

		if (at == (char *)-1)
			break;
		memset(at, 1, 1 << 20);
		got++;
	}
	printf("%ld MB of heap\n", got);
	fflush(stdout);
	deep(7 << 8);
	printf("7 MB of stack\n");
	return 0;
}
