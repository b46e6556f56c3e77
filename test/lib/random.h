/* SPDX-License-Identifier: MIT */
/* random.h - numbers at random for tests, the same in every run. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>

#define RANDOM_SEED 88172645463325252ULL /* as good as any */

/* random_next - the next number of the sequence at seed, which must not begin with 0. */
static inline uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed * 0x2545f4914f6cdd1dULL;
}

#endif
