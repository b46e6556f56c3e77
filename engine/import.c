/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * import.c - buffers of another process's engine: checks, and swaps in shared memory.
 */
#include "import.h"

void *import_address(const struct import_map *map, uint64_t there, uint64_t n)
{
	uint64_t off = there - map->there;

	if (off > map->size || n > map->size - off || off & 7)
		return NULL;
	return map->here + off;
}

/* Let a pointer of the other process point to the same memory here. -EINVAL. */
static int import_memory(uint8_t **mem, uint32_t size, const struct import_map *map)
{
	*mem = import_address(map, (uint64_t)(uintptr_t)*mem, size);
	return *mem ? 0 : -EINVAL;
}

/*
 * Check a copy of a header, and let it point to the memory as it is here. Then buffer_emit() reads
 * nothing outside of the map. Return 0; -EINVAL: the copy is not usable.
 */
static int import_check_buffer(struct buffer *b, const struct import_map *map)
{
	bool twice = b->policy == DTRACEOPT_BUFPOLICY_SWITCH;

	if (b->cur > twice || b->off > b->size)
		return -EINVAL;
	if (b->wrapped && (twice || b->end > b->size || b->oldest > b->end))
		return -EINVAL;
	if (import_memory(&b->mem[0], b->size, map) != 0)
		return -EINVAL;
	if (twice)
		return import_memory(&b->mem[1], b->size, map);
	b->mem[1] = NULL;
	return 0;
}

/* Check a copy as import_check_buffer() does, for agg_emit(). */
static int import_check_aggs(struct agg_buffer *b, const struct import_map *map)
{
	uint64_t table = ((uint64_t)b->nbuckets * 4 + 7) & ~7ULL;

	if (b->cur > 1 || table > b->size || b->off > b->size)
		return -EINVAL;
	b->last = NULL;
	return import_memory(&b->mem[0], b->size, map) != 0
		       ? -EINVAL
		       : import_memory(&b->mem[1], b->size, map);
}

int import_buffer(struct buffer *b, struct buffer *theirs, const struct import_map *map,
		  uint32_t *used)
{
	int rc;

	memcpy(b, theirs, sizeof(*b));
	core_barrier(); /* from here on only the copy is read */
	rc = import_check_buffer(b, map);
	if (rc)
		return rc;
	*used = buffer_swap(b);
	theirs->drops = 0;
	if (b->policy == DTRACEOPT_BUFPOLICY_SWITCH) {
		theirs->cur = b->cur;
		theirs->off = b->off;
		theirs->half = theirs->full = 0;
	}
	return 0;
}

int import_aggs(struct agg_buffer *b, struct agg_buffer *theirs, const struct import_map *map,
		uint32_t *used)
{
	int rc;

	memcpy(b, theirs, sizeof(*b));
	core_barrier();
	rc = import_check_aggs(b, map);
	if (rc)
		return rc;
	*used = agg_swap(b);
	theirs->drops = 0;
	theirs->cur = b->cur;
	theirs->last = NULL;
	theirs->off = b->off;
	theirs->half = 0;
	return 0;
}
