/* SPDX-License-Identifier: MIT */
/* arena.h - memory that is given up all at once: what a provider file is read into. */
#ifndef DT_USDT_ARENA_H
#define DT_USDT_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
};

/*
 * arena_alloc - size bytes, zeroed, aligned for any type; NULL when there is no memory. They live
 * until arena_free.
 */
void *arena_alloc(struct arena *arena, size_t size);
/* arena_string - a copy of len bytes of s, NUL-terminated; NULL when there is no memory. */
char *arena_string(struct arena *arena, const char *s, size_t len);
void arena_free(struct arena *arena);

#endif
