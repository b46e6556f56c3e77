/* SPDX-License-Identifier: MIT */
/* grow.h - lists in memory of malloc that grow by one entry at a time. */
#ifndef DT_GROW_H
#define DT_GROW_H

#include <stddef.h>
#include <stdlib.h>

/*
 * dt_grow - the list of n entries of that size, NULL with 0, with room for one more; it has grown by
 * nothing else. NULL without memory: the list is as it was. There is room for a power of two of
 * entries, so memory is asked for when they are that many.
 */
static inline void *dt_grow(void *list, size_t n, size_t size)
{
	const size_t least = 16;

	if (n == 0)
		return reallocarray(list, least, size);
	if (n < least || (n & (n - 1)) != 0)
		return list;
	return reallocarray(list, 2 * n, size);
}

#endif
