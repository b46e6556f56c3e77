/* SPDX-License-Identifier: MIT */
/* gc.c - functions that are not called, to be dropped with their probes. */
#include <stdio.h>
#include <sys/sdt.h>
#include "fire.h"

void missing(void);

/*
 * Refers to a function that does not exist: only the linker's garbage collection makes this program
 * link.
 */
void dead(int x)
{
#ifdef DEAD_CALLS
	missing();
#endif
	DTRACE_PROBE1(gc, dead, x);
}

int alive(int x)
{
	DTRACE_PROBE1(gc, alive, x);
	return x + DTRACE_PROBE_ENABLED(gc, alive);
}

int main(void)
{
	volatile int zero = 0;

	printf("%d\n", alive(1 + zero));
	fire_enable();
	printf("%d\n", alive(1 + zero));
	return 0;
}
