/* SPDX-License-Identifier: MIT */
/* part.c - a library that can be built with and without probes. */
#include <config.h>
#ifdef ENABLE_DTRACE
#include "library.h"
#else
#define LIBRARY_PART(n)
#endif

int part(int n);

int part(int n)
{
	LIBRARY_PART(n);
	return n;
}
