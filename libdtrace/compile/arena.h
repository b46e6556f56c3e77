/* SPDX-License-Identifier: MIT */
/* arena.h - memory that is given back all at once. */
#ifndef DT_ARENA_H
#define DT_ARENA_H

#include <setjmp.h>
#include <stddef.h>

typedef struct dt_arena {
	struct dt_chunk *chunks;	/* newest first */
	jmp_buf *nomem;			/* where to go when there is no memory; set it before any allocation */
} dt_arena_t;

/* arena_alloc - size bytes, zeroed, aligned for anything. Does not return without memory: jumps to nomem with value 2. */
void *arena_alloc(dt_arena_t *a, size_t size);
/* arena_grow - room for n elements of size bytes; old (of oldn elements, may be NULL) is copied. For arrays that double. */
void *arena_grow(dt_arena_t *a, const void *old, size_t oldn, size_t n, size_t size);
/* arena_strdup, arena_memdup - copies; the second is followed by a NUL byte. */
char *arena_strdup(dt_arena_t *a, const char *s);
char *arena_memdup(dt_arena_t *a, const void *p, size_t n);
/* arena_printf - text of any length. */
char *arena_printf(dt_arena_t *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* arena_free - give all back; the arena can be used again. */
void arena_free(dt_arena_t *a);

#endif
