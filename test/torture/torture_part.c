// SPDX-License-Identifier: MIT
/* torture_part.c - the library of torture_work.c, loaded and unloaded while it is traced. */

int part_loaded;

__attribute__((constructor, noinline)) static void part_begin(void)
{
	__asm__ volatile("" ::: "memory");
	part_loaded = 1;
}

__attribute__((noinline)) unsigned long part_fibonacci(unsigned long n)
{
	return n < 2 ? n : part_fibonacci(n - 1) + part_fibonacci(n - 2);
}

__attribute__((noinline)) unsigned long part_collatz(unsigned long n)
{
	unsigned long steps = 0;

	for (; n > 1; steps++)
		n = n & 1 ? 3 * n + 1 : n / 2;
	return steps + (unsigned long)part_loaded;
}
