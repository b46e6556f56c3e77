/* SPDX-License-Identifier: MIT */
/* arena.c - memory that is allocated in blocks and freed as a whole. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"

#define CHUNK	  (16 * 1024) /* the first; each is twice as large as the one before, up to */
#define CHUNK_MAX (128 * 1024)
#define ALIGN	  (_Alignof(max_align_t))

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, capacity;
	_Alignas(max_align_t) char data[];
};

static struct arena_chunk *arena_add_chunk(struct arena *arena, size_t size)
{
	size_t twice = arena->chunks ? 2 * arena->chunks->capacity : CHUNK;
	size_t usual = twice < CHUNK_MAX ? twice : CHUNK_MAX;
	size_t capacity = size > usual ? size : usual;
	struct arena_chunk *chunk = malloc(sizeof(*chunk) + capacity);

	if (!chunk) {
		if (arena->nomem)
			longjmp(*arena->nomem, 2);
		return NULL;
	}
	chunk->used = 0;
	chunk->capacity = capacity;
	/*
	 * A chunk for one large block is added behind the newest, which still has memory.
	 */
	if (arena->chunks && size > usual) {
		chunk->next = arena->chunks->next;
		arena->chunks->next = chunk;
	} else {
		chunk->next = arena->chunks;
		arena->chunks = chunk;
	}
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunks;
	void *p;

	size = (size + ALIGN - 1) & ~(ALIGN - 1);
	if (!chunk || chunk->capacity - chunk->used < size)
		chunk = arena_add_chunk(arena, size);
	if (!chunk)
		return NULL;
	p = memset(chunk->data + chunk->used, 0, size);
	chunk->used += size;
	return p;
}

void *arena_alloc_from(void *arena, size_t size)
{
	return arena_alloc(arena, size);
}

void *arena_grow(struct arena *arena, const void *old, size_t oldn, size_t n, size_t size)
{
	void *p = arena_alloc(arena, n * size);

	if (p && oldn)
		memcpy(p, old, oldn * size);
	return p;
}

char *arena_memdup(struct arena *arena, const void *p, size_t n)
{
	char *copy = arena_alloc(arena, n + 1);

	if (copy && n)
		memcpy(copy, p, n);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *s)
{
	return arena_memdup(arena, s, strlen(s));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	text = arena_alloc(arena, (size_t)n + 1);
	if (!text)
		return NULL;
	va_start(ap, format);
	vsnprintf(text, (size_t)n + 1, format, ap);
	va_end(ap);
	return text;
}

void arena_free(struct arena *arena)
{
	struct arena_chunk *next;

	for (; arena->chunks; arena->chunks = next) {
		next = arena->chunks->next;
		free(arena->chunks);
	}
}
