/* SPDX-License-Identifier: MIT */
/* pool.c - memory that is given back all at once. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

#define POOL_CHUNK (16 * 1024)
#define POOL_ALIGN 16

struct dt_chunk {
	struct dt_chunk *next;
	size_t used, size;
	_Alignas(POOL_ALIGN) char data[];
};

static struct dt_chunk *pool_chunk(dt_pool_t *a, size_t size)
{
	size_t room = size > POOL_CHUNK ? size : POOL_CHUNK;
	struct dt_chunk *c = calloc(1, sizeof(*c) + room);

	if (!c)
		longjmp(*a->nomem, 2);
	c->size = room;
	/* A chunk made for one big piece goes behind the one that still has room. */
	if (a->chunks && size > POOL_CHUNK) {
		c->next = a->chunks->next;
		a->chunks->next = c;
	} else {
		c->next = a->chunks;
		a->chunks = c;
	}
	return c;
}

void *pool_alloc(dt_pool_t *a, size_t size)
{
	struct dt_chunk *c = a->chunks;
	void *p;

	size = (size + POOL_ALIGN - 1) & ~(size_t)(POOL_ALIGN - 1);
	if (!c || c->size - c->used < size)
		c = pool_chunk(a, size);
	p = c->data + c->used;
	c->used += size;
	return p;
}

void *pool_grow(dt_pool_t *a, const void *old, size_t oldn, size_t n, size_t size)
{
	void *p = pool_alloc(a, n * size);

	if (oldn)
		memcpy(p, old, oldn * size);
	return p;
}

char *pool_memdup(dt_pool_t *a, const void *p, size_t n)
{
	char *copy = pool_alloc(a, n + 1);

	if (n)
		memcpy(copy, p, n);
	return copy;
}

char *pool_strdup(dt_pool_t *a, const char *s)
{
	return pool_memdup(a, s, strlen(s));
}

char *pool_printf(dt_pool_t *a, const char *format, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	text = pool_alloc(a, (size_t)n + 1);
	va_start(ap, format);
	vsnprintf(text, (size_t)n + 1, format, ap);
	va_end(ap);
	return text;
}

void pool_free(dt_pool_t *a)
{
	struct dt_chunk *c = a->chunks, *next;

	for (; c; c = next) {
		next = c->next;
		free(c);
	}
	a->chunks = NULL;
}
