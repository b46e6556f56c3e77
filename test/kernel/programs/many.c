// SPDX-License-Identifier: MIT
/* many.c - ten thousand functions, fun_0000 to fun_9999. Call each once when a line is read. */
#include <stdio.h>
#include "repeat.h"

/* clang-format off */
#define ONE(n) \
	__attribute__((noinline)) int fun_##n(int x) \
	{ \
		__asm__ volatile(""); \
		return x + 1##n; \
	}
#define ALL \
	THOUSAND(0) THOUSAND(1) THOUSAND(2) THOUSAND(3) THOUSAND(4) \
	THOUSAND(5) THOUSAND(6) THOUSAND(7) THOUSAND(8) THOUSAND(9)

ALL
/* clang-format on */

#undef ONE
#define ONE(n) sum = fun_##n(sum);

	int
	main(void)
{
	volatile int sum = 0;
	int c;

	while ((c = getchar()) != '\n')
		if (c == EOF)
			return 1;
	ALL printf("%d\n", sum);
	return 0;
}
