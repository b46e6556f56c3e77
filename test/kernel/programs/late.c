// SPDX-License-Identifier: MIT
/* late.c - a library that is loaded while its process is traced. */

int late_state;

__attribute__((constructor, noinline)) static void late_begin(void)
{
	__asm__ volatile("" ::: "memory");
	late_state = 1;
}

__attribute__((noinline)) int late_twice(int x)
{
	return x * 2;
}
