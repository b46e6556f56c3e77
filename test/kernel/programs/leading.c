/* SPDX-License-Identifier: MIT */
/* leading.c - functions that begin with the site of a static probe. */
#include <stdio.h>
#include <sys/sdt.h>
#include <unistd.h>

__attribute__((noinline)) static int leading_one(int i)
{
	DTRACE_PROBE1(leading, one, i);
	__asm__ volatile("");
	return i + 1;
}

__attribute__((noinline)) static int leading_two(int i)
{
	DTRACE_PROBE1(leading, two, i);
	__asm__ volatile("");
	return i + 2;
}

/* Arguments: a program to execute instead. Reads a byte if there is one. */
int main(int argc, char **argv)
{
	int sum = 0;
	char byte;

	if (argc > 1) {
		execvp(argv[1], argv + 1);
		return 1;
	}
	for (int i = 0; i < 10; i++)
		sum += leading_one(i) + leading_two(i);
	if (read(0, &byte, 1) == 1)
		for (int i = 0; i < 10; i++)
			sum += leading_one(i) + leading_two(i);
	printf("sum %d\n", sum);
	return 0;
}
