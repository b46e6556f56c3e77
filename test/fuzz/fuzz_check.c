/* SPDX-License-Identifier: MIT */
/* fuzz_check.c - the checks that the fuzz targets of the engine share. */
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

static bool fuzz_slow; /* fuzz_time() has complained in this run */

void fuzz_time(const char *what, uint64_t began, uint64_t limit)
{
	uint64_t took = fuzz_cpu_time() - began;

	if (took <= limit)
		return;
	fprintf(stderr, "%s took %llu ns; the limit is %llu\n", what, (unsigned long long)took,
		(unsigned long long)limit);
	fuzz_slow = true;
}

bool fuzz_again(void)
{
	static unsigned int runs;
	bool slow = fuzz_slow;

	fuzz_slow = false;
	runs = slow ? runs + 1 : 0;
	fuzz_check(runs < FUZZ_RUNS);
	return slow;
}

void fuzz_check_scratch(const struct mstate *m)
{
	static const uint8_t zeros[DTRACE_SCRATCHCPU];

	const uint8_t *end = m->scratch + DTRACE_SCRATCHCPU;

	fuzz_check(m->scratch_used >= m->scratch && m->scratch_used <= end &&
		   m->scratch_top <= m->scratch_end && m->scratch_end <= end);
	fuzz_check(!memcmp(m->scratch_used, zeros, (size_t)(end - m->scratch_used)));
}
