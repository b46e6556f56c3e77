/* SPDX-License-Identifier: MIT */
/* part.c - a function PART with a probe, for libraries of all kinds. */
#ifdef HEADER_ONLY
#include <sys/sdt.h>
#define CONSUMER_PART(n) DTRACE_PROBE1(consumer, part, n)
#else
#include "consumer.h"
#endif

int PART(int n);

int PART(int n)
{
	CONSUMER_PART(n);
	return n;
}
