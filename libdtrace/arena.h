/* SPDX-License-Identifier: MIT */
/* arena.h - memory that is allocated in blocks and freed as a whole. (arena.c) */
#ifndef DT_ARENA_H
#define DT_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct arena_chunk;

/* An arena begins as zeros. */
struct arena {
	struct arena_chunk *chunks; /* newest first */
	/*
	 * Where to jump without memory, with value 2: functions that return memory then never
	 * return NULL. NULL: they return NULL without memory.
	 */
	jmp_buf *nomem;
};

/*
 * Return size bytes, zeroed and aligned for any type. They belong to the arena until arena_free().
 */
void *arena_alloc(struct arena *arena, size_t size);
/* Call arena_alloc() for an arena that the caller hands over as a pointer without type. */
void *arena_alloc_from(void *arena, size_t size);
/*
 * Return zeroed memory for n elements of size bytes that begins with a copy of the oldn elements of
 * old, which may be NULL if oldn is 0. The old memory stays allocated: let arrays double.
 */
void *arena_grow(struct arena *arena, const void *old, size_t oldn, size_t n, size_t size);
/* Return a copy of a string. */
char *arena_strdup(struct arena *arena, const char *s);
/* Return a copy of n bytes, followed by a NUL byte. */
char *arena_memdup(struct arena *arena, const void *p, size_t n);
/* Return formatted text of any length. */
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Free all memory. The arena is then empty and may be used again. */
void arena_free(struct arena *arena);

#endif
