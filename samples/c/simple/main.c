/* SPDX-License-Identifier: MIT */
/*
 * main.c - a program with three probe sites that prints lines, by itself and through a library with
 * three more.
 *
 *	simple [LINES [MILLISECONDS]]	5 lines, without a pause between them
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/sdt.h>
#include "simple.h"

static void program_line(unsigned int n)
{
	printf("line %u of the program\n", n);
	DTRACE_PROBE1(simple, saw__line, 0x1234);
	DTRACE_PROBE1(simple, saw__word, 0x87654321);
	DTRACE_PROBE1(simple, saw__word, 0xdeadbeef);
}

int main(int argc, char **argv)
{
	unsigned int lines = argc > 1 ? strtoul(argv[1], NULL, 0) : 5;
	unsigned int pause = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned int n = 1; n <= lines; n++) {
		program_line(n);
		library_line(n);
		usleep(pause * 1000);
	}
	return 0;
}
