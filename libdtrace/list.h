/* SPDX-License-Identifier: MIT */
/* list.h - arrays that grow by an entry at a time, and are searched by address. */
#ifndef DT_LIST_H
#define DT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Return a list of n entries of size bytes with capacity for one more; NULL without memory, then
 * the list is as it was. list is NULL for n 0, and has grown by this function only: its capacity is
 * a power of two, so it is allocated anew when n is one. The caller frees it.
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

/* Return entry i of a list as the functions below have it: itself, or what it points to. */
static inline const char *dt_list_entry(const void *list, size_t i, size_t size, bool pointers)
{
	const char *entry = (const char *)list + i * size;

	return pointers ? *(const char *const *)(const void *)entry : entry;
}

/* Search for both of the functions below. */
static inline size_t dt_list_search(const void *list, size_t n, size_t size, bool pointers,
				    size_t where, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const char *entry = dt_list_entry(list, mid, size, pointers);

		if (*(const uint64_t *)(entry + where) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Return how many of n entries of size bytes have an address of at most addr. The address is where
 * bytes from the start of an entry, and the entries are in its order.
 */
static inline size_t dt_list_until(const void *list, size_t n, size_t size, size_t where,
				   uint64_t addr)
{
	return dt_list_search(list, n, size, false, where, addr);
}

/* Call dt_list_until() for pointers to structures, which have the address. */
static inline size_t dt_list_pointers_until(const void *list, size_t n, size_t where, uint64_t addr)
{
	return dt_list_search(list, n, sizeof(void *), true, where, addr);
}

#endif
