// SPDX-License-Identifier: MIT
// comdat.h - functions with probes that two files have a copy of, of which the linker keeps one.
#include <stdio.h>
#include <sys/sdt.h>
#include "fire.h"

inline int shared(int x)
{
	static int calls;

	DTRACE_PROBE2(comdat, shared, x, ++calls);
	return calls;
}

template <class T> int generic(T x)
{
	if (DTRACE_PROBE_ENABLED(comdat, generic))
		DTRACE_PROBE1(comdat, generic, x);
	return 0;
}

int other();
