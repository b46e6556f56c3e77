/* SPDX-License-Identifier: MIT */
/* list.h - lists in memory of malloc that grow by an entry at a time, and are bisected by address. */
#ifndef DT_LIST_H
#define DT_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * dt_list_grow - the list of n entries of that size, NULL with 0, with room for one more; it has
 * grown by nothing else. NULL without memory: the list is as it was. There is room for a power of
 * two of entries, so memory is asked for when they are that many.
 */
static inline void *dt_list_grow(void *list, size_t n, size_t size)
{
	const size_t least = 16;

	if (n == 0)
		return reallocarray(list, least, size);
	if (n < least || (n & (n - 1)) != 0)
		return list;
	return reallocarray(list, 2 * n, size);
}

/*
 * dt_list_until - how many of n entries of that size, in order of an address that each has at a
 * distance of where, have one of at most addr.
 */
static inline size_t dt_list_until(const void *list, size_t n, size_t size, size_t where,
				   uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (*(const uint64_t *)((const char *)list + mid * size + where) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

#endif
