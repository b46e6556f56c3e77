/* SPDX-License-Identifier: MIT */
/* bare.c - a static program without a C library, and so without a main. */
#include <stdint.h>
#include <sys/syscall.h>

#define CALLS 10

__attribute__((noinline, used)) int bare_work(int x)
{
	__asm__ volatile("");
	return x + 1;
}

static long call(long nr, long a, long b, long c)
{
	long rv;

	__asm__ volatile("syscall"
			 : "=a"(rv)
			 : "a"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return rv;
}

__attribute__((noreturn, used)) void bare_begin(void)
{
	static const char text[] = "bare\n";
	int sum = 0;

	for (int i = 0; i < CALLS; i++)
		sum += bare_work(i);
	call(SYS_write, 1, (intptr_t)text, sizeof(text) - 1);
	for (;;)
		call(SYS_exit_group, sum != 55, 0, 0);
}

__asm__(".globl _start\n_start: xor %ebp, %ebp\nxor %edi, %edi\nand $-16, %rsp\ncall bare_begin\n");
