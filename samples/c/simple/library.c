/* SPDX-License-Identifier: MIT */
/* library.c - the shared library of the sample, with the same probes as the program. */
#include <stdio.h>
#include <sys/sdt.h>
#include "simple.h"

void library_line(unsigned int n)
{
	printf("line %u of the library\n", n);
	DTRACE_PROBE1(simple, saw__line, 0x1234);
	DTRACE_PROBE1(simple, saw__word, 0x87654321);
	DTRACE_PROBE1(simple, saw__word, 0xdeadbeef);
}
