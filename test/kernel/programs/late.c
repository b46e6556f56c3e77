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

/* A function that is not called. Its system call cannot be stepped over. */
#if defined __x86_64__
__asm__(".globl late_call\n.type late_call, @function\nlate_call: mov $39, %eax\nsyscall\nret\n"
	".size late_call, . - late_call\n");
#endif
