/* SPDX-License-Identifier: MIT */
/* arena.c - memory that is given up all at once. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"

#define ARENA_CHUNK (64 * 1024)
#define ARENA_ALIGN (_Alignof(max_align_t))

struct arena_chunk {
	struct arena_chunk *next;
	size_t used;
	size_t capacity;
	_Alignas(max_align_t) char data[];
};

static struct arena_chunk *arena_add_chunk(struct arena *arena, size_t size)
{
	size_t capacity = size > ARENA_CHUNK ? size : ARENA_CHUNK;
	struct arena_chunk *chunk = calloc(1, sizeof(*chunk) + capacity);

	if (chunk) {
		chunk->next = arena->chunks;
		chunk->capacity = capacity;
		arena->chunks = chunk;
	}
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunks;
	void *p;

	size = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	if (!chunk || chunk->capacity - chunk->used < size)
		chunk = arena_add_chunk(arena, size);
	if (!chunk)
		return NULL;
	p = chunk->data + chunk->used;
	chunk->used += size;
	return p;
}

char *arena_string(struct arena *arena, const char *s, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (copy && len)
		memcpy(copy, s, len);
	return copy;
}

void arena_free(struct arena *arena)
{
	struct arena_chunk *next;

	for (; arena->chunks; arena->chunks = next) {
		next = arena->chunks->next;
		free(arena->chunks);
	}
}
