/* SPDX-License-Identifier: MIT */
/* pool.h - memory that is given back all at once. */
#ifndef DT_POOL_H
#define DT_POOL_H

#include <setjmp.h>
#include <stddef.h>

typedef struct dt_pool {
	struct dt_chunk *chunks;	/* newest first */
	jmp_buf *nomem;			/* where to go without memory; set it first */
} dt_pool_t;

/*
 * pool_alloc - size bytes, zeroed, aligned for anything. Does not return without memory: jumps to
 * nomem with value 2.
 */
void *pool_alloc(dt_pool_t *a, size_t size);
/*
 * pool_grow - room for n elements of size bytes; old (of oldn elements, may be NULL) is copied. For
 * arrays that double.
 */
void *pool_grow(dt_pool_t *a, const void *old, size_t oldn, size_t n, size_t size);
/* pool_strdup, pool_memdup - copies; the second is followed by a NUL byte. */
char *pool_strdup(dt_pool_t *a, const char *s);
char *pool_memdup(dt_pool_t *a, const void *p, size_t n);
/* pool_printf - text of any length. */
char *pool_printf(dt_pool_t *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* pool_free - give all back; the pool can be used again. */
void pool_free(dt_pool_t *a);

#endif
