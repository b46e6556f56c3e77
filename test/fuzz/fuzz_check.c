/* SPDX-License-Identifier: MIT */
/* fuzz_check.c - what the fuzz targets of the engine check with. */
#include "engine_session.h"
#include "fire.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void fuzz_fail(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	abort();
}

uint64_t fuzz_cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void fuzz_check_scratch(const struct mstate *m)
{
	static const uint8_t zeros[DTRACE_SCRATCHSIZE];

	fuzz_check(m->scratch_used >= m->scratch && m->scratch_used <= m->scratch_end &&
		   m->scratch_top <= m->scratch_end);
	fuzz_check(!memcmp(m->scratch_used, zeros, (size_t)(m->scratch_end - m->scratch_used)));
}
