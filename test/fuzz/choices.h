/* SPDX-License-Identifier: MIT */
/*
 * choices.h - the input of a fuzzer as choices of a grammar. Each byte makes a choice. When no byte
 * is left, every choice is the first alternative, which ends lists. So any input is a sentence of
 * the grammar, and a small change of the input makes a small change of the sentence.
 */
#ifndef FUZZ_CHOICES_H
#define FUZZ_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct choices {
	const uint8_t *p, *end;
};

static inline bool choices_left(const struct choices *c)
{
	return c->p < c->end;
}

static inline uint32_t choose_byte(struct choices *c)
{
	return choices_left(c) ? *c->p++ : 0;
}

/* choose - return the number of one of n alternatives; n is at most 65536. */
static inline uint32_t choose(struct choices *c, uint32_t n)
{
	uint32_t x = choose_byte(c);

	if (n > 256)
		x |= choose_byte(c) << 8;
	return n ? x % n : 0;
}

static inline uint32_t choose_word(struct choices *c)
{
	uint32_t x = choose_byte(c);

	x |= choose_byte(c) << 8;
	x |= choose_byte(c) << 16;
	return x | choose_byte(c) << 24;
}

/* choose_rarely - return true for one byte of n. */
static inline bool choose_rarely(struct choices *c, uint32_t n)
{
	return choose(c, n) == n - 1;
}

/* choose_size - return a small size, or one at limit, the largest that is allowed, or beyond it. */
static inline uint64_t choose_size(struct choices *c, uint64_t limit)
{
	switch (choose(c, 16)) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return limit;
	case 3:
		return limit - 1;
	case 4:
		return limit + 1;
	case 5:
		return limit / 2;
	case 6:
		return limit / 4 + choose_byte(c);
	case 7:
		return limit - 8 * choose_byte(c);
	case 8:
		return limit - choose(c, 65536);
	case 9:
		return 2 * limit;
	case 10:
		return 1ULL << choose(c, 64);
	case 11:
		return 0 - (uint64_t)choose_byte(c);
	case 12:
		return choose(c, 65536);
	default:
		return choose_byte(c);
	}
}

#endif
